// Predictions one by one over keep-alive connections, in turns with a plain Fastify server that echoes the same body.
//
// They are sent as fast as they are answered, which shows the most per second, and at the rate aimed at, which shows
// how long one waits then.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KeyPair } from '../src/exchange/identity/key-pair.ts';
import { signRequest } from '../src/exchange/identity/request-token.ts';
import { quantile, requestBytes, sendAll, sendSteadily } from './http-load.ts';
import { median, type Row } from './measure.ts';
import { type Form, type PredictionBody, predictionBody } from './prediction-bodies.ts';
import { profileSplit } from './profile-split.ts';
import type { ServerBenchSizes } from './server.bench.ts';
import { type Scene, type ServerSite, startSite } from './server-scene.ts';

/** Predictions per second aimed at, 99 of 100 within 20 ms. */
const RATES: Partial<Record<Form, number>> = { binary: 2000, mean: 2000, json: 500 };
/** Connections at a steady rate: so many that requests wait for the server, not for each other. */
const STEADY_CONNECTIONS = 64;
/** Rounds that warm caches and compilers and are not counted, because a coordinator runs for weeks. */
const WARM_UP = 2;

export async function comparePredictions(
  site: ServerSite,
  { asker }: Scene,
  form: Form,
  { owners, requests, rounds, connections }: ServerBenchSizes,
  say: (text: string) => void,
): Promise<Row> {
  const asked = predictionBody(form, owners);
  const [server, echo] = [await startSite(site), await startEcho()];
  const rate = RATES[form];
  const [ours, theirs, steady, theirsSteady]: Turn[][] = [[], [], [], []];
  try {
    for (let round = 1 - WARM_UP; round <= rounds; round++) {
      say(`${site.kind}: ${form} predictions, round ${round} of ${rounds}`);
      const signed = await signedRequests(asker, asked, requests[form]);
      const turns = [await turnOf(server, signed, connections), await turnOf(echo, signed, connections)];
      if (round < 1) continue;
      ours.push(turns[0]);
      theirs.push(turns[1]);
      if (rate === undefined) continue;
      const fresh = await signedRequests(asker, asked, requests[form]);
      steady.push(await turnOf(server, fresh, STEADY_CONNECTIONS, rate));
      theirsSteady.push(await turnOf(echo, fresh, STEADY_CONNECTIONS, rate));
    }
  } finally {
    await server.stop();
    await echo.stop();
  }
  const figures = { ours: medians(ours), echo: medians(theirs) };
  return {
    job: `${site.kind}: prediction, ${form} of ${asked.body.length} bytes`,
    oursMs: figures.ours['p50 ms'],
    peers: { 'Fastify echo': figures.echo['p50 ms'] },
    ...(rate && { aim: `≥ ${rate}/s, p99 ≤ 20 ms` }),
    figures: {
      'per second': figures.ours['per second'],
      'p99 ms': figures.ours['p99 ms'],
      ...(rate && { [`p50 ms at ${rate}/s`]: medians(steady)['p50 ms'] }),
      ...(rate && { [`p99 ms at ${rate}/s`]: medians(steady)['p99 ms'] }),
      'cpu ms': figures.ours['cpu ms'],
      'echo per second': figures.echo['per second'],
      'echo p99 ms': figures.echo['p99 ms'],
      ...(rate && { [`echo p99 ms at ${rate}/s`]: medians(theirsSteady)['p99 ms'] }),
      'echo cpu ms': figures.echo['cpu ms'],
      'rate ÷ echo': median(ours.map((turn, i) => turn['per second'] / theirs[i]['per second'])),
    },
  };
}

/** Splits the server's time by kind of work, in a run of its own, because a profile slows what it watches. */
export async function splitTime(
  site: ServerSite,
  { asker }: Scene,
  form: Form,
  { owners, requests, connections }: ServerBenchSizes,
): Promise<Row> {
  const asked = predictionBody(form, owners);
  const profiles = join(site.dir, 'profiles');
  const server = await startSite(site, ['--cpu-prof', `--cpu-prof-dir=${profiles}`]);
  const turns: Turn[] = [];
  let [start, end] = [0n, 0n];
  try {
    // The first turn warms the server up; the second one counts.
    for (let i = 0; i < 2; i++) {
      const signed = await signedRequests(asker, asked, requests[form]);
      start = process.hrtime.bigint();
      turns.push(await turnOf(server, signed, connections));
      end = process.hrtime.bigint();
    }
  } finally {
    await server.stop();
  }
  // The thread that serves requests has number 0.
  const [profile] = readdirSync(profiles).filter((file) => /\.0\.\d+\.cpuprofile$/.test(file));
  const split = profileSplit(join(profiles, profile), [start, end]);
  rmSync(profiles, { recursive: true });
  const figures = Object.fromEntries(Object.entries(split).map(([kind, share]) => [`${kind} %`, share]));
  const oursMs = turns[1]['p50 ms'];
  return { job: `${site.kind}: prediction, ${form}, the server's time`, oursMs, peers: {}, figures };
}

/** Signed requests. Each needs a token of its own, because a token is good once. */
async function signedRequests(
  keys: KeyPair,
  { path, headers, body }: PredictionBody,
  count: number,
): Promise<Buffer[]> {
  const sign = async () => {
    const token = await signRequest(keys, { method: 'POST', path, body });
    return requestBytes(path, { ...headers, authorization: `Bearer ${token}` }, body);
  };
  return Promise.all(Array.from({ length: count }, sign));
}

/** Figures of one turn of requests. */
const FIGURES = ['per second', 'p50 ms', 'p99 ms', 'cpu ms'] as const;
type Turn = Record<(typeof FIGURES)[number], number>;

/** Sends requests at `rate` per second, or as fast as they are answered. */
async function turnOf(
  { url, pid }: { url: string; pid: number },
  requests: Buffer[],
  connections: number,
  rate?: number,
): Promise<Turn> {
  // The client has made many requests by now. Collecting that garbage here keeps its pauses out of the turn.
  collectGarbage();
  const before = cpuMs(pid);
  const sent = rate ? sendSteadily(url, requests, connections, rate) : sendAll(url, requests, connections);
  const { latencies, ms, failures } = await sent;
  if (failures.length > 0) throw new Error(`${failures.length} of ${requests.length} requests failed: ${failures[0]}`);
  return {
    'per second': requests.length / (ms / 1000),
    'p50 ms': quantile(latencies, 0.5),
    'p99 ms': quantile(latencies, 0.99),
    'cpu ms': (cpuMs(pid) - before) / requests.length,
  };
}

/** Node offers `gc` at run time only through this detour. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** The median of each figure. */
const medians = (turns: readonly Turn[]): Turn =>
  Object.fromEntries(FIGURES.map((name) => [name, median(turns.map((turn) => turn[name]))])) as Turn;

/** Processor time of a process so far, over all threads; NaN where there is no /proc. A tick is 10 ms. */
function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return Number.NaN;
  }
}

interface EchoProcess {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

async function startEcho(): Promise<EchoProcess> {
  const script = fileURLToPath(new URL('./echo-server.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const url of createInterface({ input: child.stdout })) {
    const stop = async () => {
      child.kill();
      await once(child, 'exit');
    };
    return { url, pid: child.pid as number, stop };
  }
  throw new Error('the echo server ended before it listened');
}
