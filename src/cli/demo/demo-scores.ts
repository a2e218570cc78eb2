// Computes the scores of `f3 demo` on the test part: of votes from the bundles, of fusions from the coordinator's answers.
import { encodeArrow, floatListColumn, textColumn } from '../../base/arrow-table.ts';
import { Engine } from '../../core/engine/engine.ts';
import { meanAndDeviation } from '../../core/mean-and-deviation.ts';
import type { Dataset } from '../../data/dataset/dataset.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import { predictShared } from '../../exchange/client/predict-samples.ts';
import { fuseOwners } from '../../fuse/fuse-owners.ts';
import { type FusionConfig, paperPreset, type VoteMethod } from '../../fuse/fusion-config.ts';
import { type Scores, scoresOfDecisions } from '../../fuse/scores/scores.ts';
import { datasetInput } from '../../reproduce/dataset-input.ts';
import type { DemoRow } from './demo-result.ts';

/** Samples per request, so that no request is too large. */
const CHUNK = 200;

/** What all owners together sent about the test part. Only the demo has this, because it plays every part. */
export interface TestPart {
  /** [sample] class numbers */
  labels: number[];
  classes: string[];
  samples: { id: string; embeddings: ReadonlyMap<string, Float32Array> }[];
  /** Scores of what needs no coordinator. */
  votes: { model: string; scores: Scores }[];
}

const VOTES: { model: string; method: VoteMethod }[] = [
  { model: 'majority vote', method: 'majority' },
  { model: 'best owner', method: 'best' },
];

/** `others`: models that are learned here in the clear, from all bundles, for comparison. */
export async function readTestPart(
  dataset: Dataset,
  bundles: string,
  others: readonly { model: string; config: FusionConfig }[] = [],
): Promise<TestPart> {
  const { samples, labels, classes } = dataset;
  const engine = new Engine({ threads: 1 });
  try {
    const input = await datasetInput(engine, dataset, bundles);
    const { joined } = input;
    const votes: TestPart['votes'] = [];
    const rules = VOTES.map(({ model, method }) => ({ model, config: { ...paperPreset, method } }));
    for (const { model, config } of [...rules, ...others]) {
      const { facts } = await fuseOwners(engine, input, config);
      votes.push({ model, scores: facts.test });
    }
    const { owners, width } = joined;
    const [embeddings, present] = [joined.embeddings.data, joined.present.data];
    const test = Array.from(input.split.test, (row) => {
      const said = owners.flatMap(({ owner }, slot) => {
        const at = row * owners.length + slot;
        return present[at] === 1 ? [[owner, embeddings.slice(at * width, (at + 1) * width)] as const] : [];
      });
      return { id: samples[row], embeddings: new Map(said) };
    });
    return { labels: Array.from(input.split.test, (row) => labels[row]), classes, samples: test, votes };
  } finally {
    await engine.dispose();
  }
}

/** Predictions of one fit on the test part, and their scores. */
export interface DemoVerdict {
  scores: Scores;
  /** [sample] class numbers */
  predicted: Int32Array;
}

/** Predicts the test part with the coordinator's active model, without the owners in `absent`. */
export async function judgeWithout(
  client: CoordinatorClient,
  federation: string,
  test: TestPart,
  absent: readonly string[],
): Promise<DemoVerdict> {
  const predictions: SamplePrediction[] = [];
  for (let start = 0; start < test.samples.length; start += CHUNK) {
    const rows = test.samples.slice(start, start + CHUNK).flatMap(({ id, embeddings }) =>
      Array.from(embeddings)
        .filter(([owner]) => !absent.includes(owner))
        .map(([owner, embedding]) => ({ id, owner, embedding })),
    );
    if (rows.length === 0) continue;
    const answer = (await client.predictArrow(federation, encodeRows(rows))) as { predictions: SamplePrediction[] };
    predictions.push(...answer.predictions);
  }
  return verdictOf(test, predictions);
}

/** The same on shares, where samples are asked about by name and nobody sends an embedding. */
export async function judgeOnShares(
  client: CoordinatorClient,
  federation: string,
  test: TestPart,
  absent: readonly string[],
): Promise<DemoVerdict> {
  const ids = test.samples
    .filter(({ embeddings }) => [...embeddings.keys()].some((owner) => !absent.includes(owner)))
    .map(({ id }) => id);
  return verdictOf(test, (await predictShared(client, federation, ids, { without: absent })).predictions);
}

interface SamplePrediction {
  sample: string;
  class: string;
  probabilities: number[];
}

function verdictOf({ samples, labels, classes }: TestPart, predictions: readonly SamplePrediction[]): DemoVerdict {
  // A sample that no present owner saw gets the same probability for every class.
  const probabilities = samples.map(() => classes.map(() => 1 / classes.length));
  const rowOf = new Map(samples.map(({ id }, row) => [id, row]));
  const predicted = new Int32Array(samples.length);
  for (const answer of predictions) {
    const row = rowOf.get(answer.sample) as number;
    probabilities[row] = answer.probabilities;
    predicted[row] = classes.indexOf(answer.class);
  }
  return { scores: scoresOfDecisions(probabilities.flat(), predicted, labels, classes.length), predicted };
}

export function rowOf(model: string, fits: readonly Scores[], someAbsent = false): DemoRow {
  // A score that is not defined comes back from the coordinator as null.
  const of = (score: 'f1' | 'auc' | 'accuracy') => meanAndDeviation(fits.map((fit) => fit[score] ?? Number.NaN));
  return { model, someAbsent, f1: of('f1'), auc: of('auc'), accuracy: of('accuracy') };
}

function encodeRows(rows: readonly { id: string; owner: string; embedding: Float32Array }[]): Uint8Array {
  const width = rows[0].embedding.length;
  const values = new Float32Array(rows.length * width);
  rows.forEach(({ embedding }, row) => {
    values.set(embedding, row * width);
  });
  const columns = {
    sample: textColumn(rows.map(({ id }) => id)),
    owner: textColumn(rows.map(({ owner }) => owner)),
    embedding: floatListColumn(values, width),
  };
  return encodeArrow(columns, {});
}
