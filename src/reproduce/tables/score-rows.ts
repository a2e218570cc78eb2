// Scores of rows × seeds on one data set, with the time left while they run.
import { isVoteMethod, resolveFusionConfig } from '../../fuse/fusion-config.ts';
import type { ExperimentContext } from '../experiment.ts';
import type { FoundDataset } from '../find-dataset.ts';
import type { ScoreRow, ScoreRun } from './score-row.ts';
import { type RunWatch, ScoreWorkbench } from './score-workbench.ts';
import { type RowSeconds, TimeLeft } from './time-left.ts';

export interface ScoreOptions {
  /** Shares of owners to take away at random from the test part. */
  absent?: readonly number[];
  /** What a fit of each row took on record. */
  rowSeconds?: RowSeconds | undefined;
}

/**
 * All runs of `rows` under seeds 1 … seeds, in this order. Votes learn nothing at random and run once; so does
 * a mixture, which is of all seeds.
 */
export async function scoreRows(
  dataset: FoundDataset,
  rows: readonly ScoreRow[],
  context: ExperimentContext,
  { absent = [], rowSeconds }: ScoreOptions = {},
): Promise<ScoreRun[]> {
  const jobs = rows.flatMap((row) => {
    const config = resolveFusionConfig({ preset: row.preset ?? 'paper', ...row.fusion });
    const seeds =
      isVoteMethod(config.method) || row.ensembleOf !== undefined
        ? 1
        : Math.min(context.seeds, row.seeds ?? context.seeds);
    return Array.from({ length: seeds }, (_, i) => ({ row, config: { ...config, seed: i + 1 } }));
  });
  const stage = `${dataset.name}: rows × seeds`;
  const runs: ScoreRun[] = [];
  const workbench = new ScoreWorkbench(dataset, context);
  const timeLeft = new TimeLeft(
    jobs.map(({ row }) => row.id),
    rowSeconds,
  );
  try {
    for (const [i, { row, config }] of jobs.entries()) {
      let start = performance.now();
      const running = () => (performance.now() - start) / 1000;
      const report = (note: string) => {
        const secondsLeft = timeLeft.seconds(running());
        context.progress(stage, i, jobs.length, { secondsLeft, note: `row ${row.id}, seed ${config.seed}${note}` });
      };
      context.signal?.throwIfAborted();
      const watch: RunWatch = {
        onStart: () => {
          start = performance.now(); // the time before went into training owners
          report('');
        },
        onEpoch: ({ epoch }) => report(`, epoch ${epoch}`),
        onSearch: ({ done, total }) => report(`, ${done} of ${total} fits`),
      };
      const member = rows.find(({ id }) => id === row.ensembleOf);
      const members = Array.from({ length: context.seeds }, (_, s) => ({ ...config, seed: s + 1 }));
      runs.push(
        member
          ? { ...(await workbench.mix(row, member, members, absent, watch)), row: row.id }
          : await workbench.run(row, config, absent, watch),
      );
      timeLeft.finished(running());
    }
    context.progress(stage, jobs.length, jobs.length);
  } finally {
    await workbench.dispose();
  }
  return runs;
}
