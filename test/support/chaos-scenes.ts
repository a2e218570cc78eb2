// Several scenes of chaos at once, each with a database, members and a schedule of its own: most of the time each waits, for a start
// or for the sign that a worker is dead.
import { type ChaosReport, chaos } from './chaos.ts';
import { startPostgres } from './postgres-server.ts';

export interface ChaosScenesOptions {
  kind: 'embedded' | 'postgres';
  /** Disturbances of all scenes together. */
  kills: number;
  seed: number;
  /** How many scenes there are at a time. */
  scenes: number;
  /** As of `chaos`. */
  until?: number | undefined;
  onKill?: () => void;
}

/** The seed of each scene is that of the one before and one more. */
export async function chaosInScenes(options: ChaosScenesOptions): Promise<ChaosReport> {
  const { kills, scenes } = options;
  const shares = Array.from({ length: scenes }, (_, i) => Math.floor((kills + i) / scenes)).filter(
    (share) => share > 0,
  );
  return sum(await Promise.all(shares.map((share, i) => scene(options, share, i))));
}

async function scene(options: ChaosScenesOptions, kills: number, number: number): Promise<ChaosReport> {
  const postgres = options.kind === 'postgres' ? await startPostgres() : undefined;
  try {
    const { until, onKill } = options;
    return await chaos({ kills, seed: options.seed + number, postgres, until, onKill });
  } finally {
    await postgres?.stop();
  }
}

function sum(reports: readonly ChaosReport[]): ChaosReport {
  const total = (count: (report: ChaosReport) => number) =>
    reports.reduce((before, report) => before + count(report), 0);
  const totals = <Name extends string>(counts: (report: ChaosReport) => Record<Name, number>) =>
    Object.fromEntries(
      Object.keys(counts(reports[0])).map((name) => [name, total((report) => counts(report)[name as Name])]),
    ) as Record<Name, number>;
  return {
    disturbances: totals(({ disturbances }) => disturbances),
    aims: totals(({ aims }) => aims),
    uploads: total(({ uploads }) => uploads),
    deletions: total(({ deletions }) => deletions),
    trainings: total(({ trainings }) => trainings),
    predictions: total(({ predictions }) => predictions),
    replays: total(({ replays }) => replays),
    slowest: Math.max(...reports.map(({ slowest }) => slowest)),
    hangs: reports.flatMap(({ hangs }) => hangs),
    faults: reports.flatMap(({ faults }) => faults),
  };
}
