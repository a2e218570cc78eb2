// Where a server's time goes, from the profile that `node --cpu-prof` writes, as shares of the time it was not idle.
import { readFileSync } from 'node:fs';

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
  /** Microseconds of the clock that process.hrtime reads. */
  startTime: number;
}

/** Time counts for the kind whose pattern matches the innermost frame. */
const KINDS: [kind: string, pattern: RegExp][] = [
  ['tokens', /exchange\/identity\/|server\/tokens\/|worker-thread|\/jose\/|internal\/crypto|sha256/],
  ['database', /src\/storage\/|\/(kysely|pg|pg-[a-z]+|@electric-sql)\//],
  ['model', /src\/(infer|fuse|core)\/|wasm/],
  [
    'body and answer',
    /server\/(routes|prediction)\/|server\/app|exchange\/bundle\/|arrow-table|\/(zod|apache-arrow|flatbuffers)\//,
  ],
  ['log and metrics', /\/(pino|sonic-boom|prom-client|@pinojs)[a-z-]*\//],
  ['http', /\/(fastify|find-my-way|avvio|@fastify)[a-z-]*\/|node:/],
];

/** Kind → percent of the busy time between two readings of `process.hrtime.bigint()`. */
export function profileSplit(file: string, [from, to]: readonly [bigint, bigint]): Record<string, number> {
  const { nodes, samples, timeDeltas, startTime } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const kinds = new Map<number, string>();
  const kindOf = (id: number | undefined): string => {
    if (id === undefined) return 'node itself';
    const known = kinds.get(id);
    if (known) return known;
    const { functionName = '', url = '' } = frames.get(id) ?? {};
    const named = functionName === '(idle)' ? 'idle' : functionName === '(garbage collector)' ? 'garbage' : undefined;
    const kind = named ?? KINDS.find(([, pattern]) => pattern.test(url))?.[0] ?? kindOf(parents.get(id));
    kinds.set(id, kind);
    return kind;
  };
  const times: Record<string, number> = {};
  let now = startTime;
  samples.forEach((id, i) => {
    now += timeDeltas[i];
    if (now < Number(from / 1000n) || now > Number(to / 1000n)) return;
    const kind = kindOf(id);
    times[kind] = (times[kind] ?? 0) + timeDeltas[i];
  });
  const { idle: _, ...busy } = times;
  const total = Object.values(busy).reduce((sum, time) => sum + time, 0);
  const shares = Object.entries(busy).map(([kind, time]): [string, number] => [kind, (100 * time) / total]);
  return Object.fromEntries(shares.sort(([, a], [, b]) => b - a));
}
