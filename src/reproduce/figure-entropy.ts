// `f3 reproduce figure-entropy`: how much the owners' own predictions disagree, sample by sample (the paper's Figure 3).
import { type EntropySummary, labelEntropies, summariseEntropy } from '../exchange/labels/label-entropy.ts';
import { readVoters } from '../exchange/labels/read-voters.ts';
import { histogram } from '../figures/histogram.ts';
import type { ResultFigure } from '../figures/result.ts';
import type { DatasetName, ExperimentContext, ExperimentResult } from './experiment.ts';
import { readConfig } from './experiment-files.ts';

interface FigureEntropyConfig {
  title: string;
  bins: number;
  /** What we make of the figures. */
  remarks?: Partial<Record<DatasetName, string[]>>;
}

export interface FigureEntropyOptions {
  dataset: DatasetName;
  /** Folder of the owners' bundles; only those with class probabilities count. */
  bundles: string;
}

export async function figureEntropy(
  context: ExperimentContext,
  { dataset, bundles }: FigureEntropyOptions,
): Promise<ExperimentResult> {
  const start = performance.now();
  const { title, bins, remarks = {} } = readConfig<FigureEntropyConfig>('figure-entropy');
  const voters = await readVoters([bundles], (read, files) => {
    context.signal?.throwIfAborted();
    context.progress('reading bundles', read, files);
  });
  const classes = Math.max(...voters.map((voter) => voter.classes));
  const { entropies, samples } = labelEntropies(voters);
  const summary = summariseEntropy({ entropies, samples, voters: new Int32Array() }, classes, bins);
  const facts = {
    owners: voters.length,
    samples: summary.samples,
    classes,
    mean: summary.mean,
    median: median(entropies),
    'unanimous share': summary.unanimous,
    'largest possible': Math.log(classes),
  };
  const simulated = dataset.startsWith('pmu');
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return {
    name: 'figure-entropy',
    title,
    dataset,
    simulated,
    command: `f3 reproduce figure-entropy --dataset ${dataset}`,
    seeds: 1,
    seconds: (performance.now() - start) / 1000,
    summary:
      `${dataset}${simulated ? ' (simulated)' : ''}: the ${voters.length} local models agree on ${percent(summary.unanimous)} of the ` +
      `samples; the mean entropy of their labels is ${summary.mean.toFixed(3)} of at most ${Math.log(classes).toFixed(3)} nats.`,
    tables: [
      {
        title: `Disagreement of the local models, ${dataset}`,
        columns: ['owners', 'samples', 'classes', 'mean entropy', 'median entropy', 'all agree', 'largest possible'],
        rows: [
          [
            String(facts.owners),
            String(facts.samples),
            String(facts.classes),
            { mean: facts.mean },
            { mean: facts.median },
            percent(facts['unanimous share']),
            { mean: facts['largest possible'] },
          ],
        ],
        note: 'Entropy in nats of the shares of owners that predict each class; absent owners do not vote.',
      },
    ],
    figures: [figure(dataset, simulated, summary, voters.length)],
    remarks: [
      'The paper gives no numbers with its figure; it observes that many entropies are well away from zero.',
      'Samples of all parts count, those of training too.',
      ...(remarks[dataset] ?? []),
    ],
    configuration: { dataset, bins },
    values: Object.fromEntries(Object.entries(facts).map(([key, value]) => [`${dataset}/${key}`, value])),
  };
}

function median(values: Float64Array): number {
  const sorted = values.toSorted();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function figure(
  dataset: string,
  simulated: boolean,
  { histogram: bins }: EntropySummary,
  owners: number,
): ResultFigure {
  return {
    name: `entropy-${dataset}`,
    title: `Entropy of the labels that ${owners} local models predict, ${dataset}${simulated ? ' (simulated)' : ''}`,
    caption: 'At 0 all owners agree; at the right end the labels are evenly split.',
    specification: histogram(bins, { x: 'entropy of the predicted labels (nats)' }),
  };
}
