// Owners' pre-training on METR-LA beside PyTorch: time per epoch, test accuracy, rows B to D of Table 2.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from '../src/core/engine/engine.ts';
import { type Dataset, openDataset } from '../src/data/dataset/dataset.ts';
import { importTraffic } from '../src/data/import/import-traffic.ts';
import { embedOwner, type OwnerEmbeddings } from '../src/embed/embed-owner.ts';
import type { ModelCard } from '../src/embed/owner-model.ts';
import { paperOwnerPreset } from '../src/embed/owner-preset.ts';
import { trainAllOwners } from '../src/embed/train-all-owners.ts';
import { binaryScores } from '../src/fuse/scores/scores.ts';
import { median, type Row } from './measure.ts';
import { Peer, startPyTorch } from './peer.ts';

const SHARED = new URL('../../shared/data/', import.meta.url).pathname;
/** Number of owners that both sides train: enough for a median, spread over the city. */
const COMPARED = 20;

export async function run(wanted: string[], say: (text: string) => void): Promise<Row[]> {
  const file = join(process.env.F3_DATA ?? SHARED, 'metr-la.h5');
  if (!existsSync(file))
    throw new Error(`owners bench: METR-LA must lie at ${file}, got no such file (F3_DATA names its folder)`);
  const work = mkdtempSync(join(tmpdir(), 'f3-owners-'));
  try {
    const dir = join(work, 'metr-la');
    const split = join(SHARED, 'metr-la-split.json');
    await importTraffic({ file, out: dir, split, gaps: 'error', overwrite: false }, () => undefined);
    const dataset = await openDataset(dir);
    const rows = await compareOwners(dataset, dir, work, say);
    if (!wanted.includes('quick')) rows.push(...(await trainEverybody(dataset, dir, say)));
    return rows;
  } finally {
    rmSync(work, { recursive: true });
  }
}

const folderOf = (dir: string, owner: string) => join(dir, 'owners', owner);

/** Trains the same owners on both sides, in turns: ours one per core, PyTorch one after the other. */
async function compareOwners(dataset: Dataset, dir: string, work: string, say: (text: string) => void): Promise<Row[]> {
  const step = Math.floor(dataset.owners.length / COMPARED);
  const chosen = dataset.owners.filter((_, i) => i % step === 0).slice(0, COMPARED);
  await exportForPeer(dataset, chosen, work);
  const peer = await startPyTorch('pytorch_owner_peer.py');
  if (!(peer instanceof Peer)) say(peer);
  const cores = availableParallelism();
  const ours = { ms: 0, epochs: 0, accuracies: [] as number[] };
  const theirs = { ms: 0, epochs: 0, accuracies: [] as number[] };
  for (let at = 0; at < chosen.length; at += cores) {
    const group = chosen.slice(at, at + cores);
    say(`owners ${group.join(', ')}`);
    const start = performance.now();
    const folders = group.map((owner) => folderOf(dir, owner));
    const cards = await trainAllOwners(folders, { options: { ...paperOwnerPreset, seed: 1 }, force: true });
    ours.ms += performance.now() - start;
    for (const card of cards) record(ours, card.epochs, card.scores.testAccuracy);
    if (!(peer instanceof Peer)) continue;
    for (let i = at; i < at + group.length; i++) {
      const answer = await peer.run('owner', 1, { folder: work, owner: i, threads: 1 });
      theirs.ms += answer.ms?.[0] ?? Number.NaN;
      record(theirs, answer.epochs as number, answer.testAccuracy as number);
    }
  }
  if (peer instanceof Peer) peer.stop();
  const perEpoch = (side: typeof ours) => side.ms / side.epochs;
  const accuracy = (side: typeof ours) => median(side.accuracies);
  say(`epochs: ours ${ours.epochs}, PyTorch ${theirs.epochs}`);
  return [
    {
      job: `epoch of an owner, ${COMPARED} owners, ${cores} cores`,
      oursMs: perEpoch(ours),
      peers: { pytorch: perEpoch(theirs) },
      ratio: perEpoch(theirs) / perEpoch(ours),
      aim: '≥ 8× PyTorch',
    },
    {
      job: `median test accuracy: ours ${accuracy(ours).toFixed(4)}, PyTorch ${accuracy(theirs).toFixed(4)}`,
      oursMs: Number.NaN,
      peers: {},
      aim: 'within 0.01',
    },
  ];
}

function record(side: { epochs: number; accuracies: number[] }, epochs: number, accuracy: number): void {
  side.epochs += epochs;
  side.accuracies.push(accuracy);
}

/** Writes windows, labels and split as the peer reads them. */
async function exportForPeer(dataset: Dataset, owners: string[], folder: string): Promise<void> {
  const all = await Promise.all(owners.map((owner) => dataset.owner(owner)));
  const [{ length, variates, samples }] = all;
  const numbers = new Float32Array(all.reduce((sum, owner) => sum + owner.windows.length, 0));
  all.reduce((at, owner) => {
    numbers.set(owner.windows, at);
    return at + owner.windows.length;
  }, 0);
  const row = new Map(dataset.samples.map((sample, i) => [sample, i]));
  const rows = (part: 'train' | 'validation' | 'test') => dataset.split[part].map((sample) => row.get(sample));
  const split = { train: rows('train'), validation: rows('validation'), test: rows('test') };
  const shape = [owners.length, samples.length, length, variates.length];
  writeFileSync(join(folder, 'windows.f32'), numbers);
  writeFileSync(join(folder, 'labels.i32'), dataset.labels);
  writeFileSync(join(folder, 'meta.json'), JSON.stringify({ shape, split }));
}

/** Trains all 207 owners: wall time, and how the local models vote. */
async function trainEverybody(dataset: Dataset, dir: string, say: (text: string) => void): Promise<Row[]> {
  say(`all ${dataset.owners.length} owners`);
  const start = performance.now();
  const folders = dataset.owners.map((owner) => folderOf(dir, owner));
  const cards = await trainAllOwners(folders, { options: paperOwnerPreset, force: true });
  const ms = performance.now() - start;
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const epochs = cards.reduce((sum, card) => sum + card.epochs, 0);
  const engine = new Engine();
  const embedded: OwnerEmbeddings[] = [];
  for (const folder of folders) embedded.push(await embedOwner(engine, folder));
  await engine.dispose();
  return [
    {
      job: `pre-training of all ${folders.length} owners, ${epochs} epochs`,
      oursMs: ms,
      peers: {},
      peakMb,
      aim: '≤ 180 s, ≤ 500 MB',
    },
    { job: ensembles(dataset, cards, embedded), oursMs: Number.NaN, peers: {}, aim: 'B .114, C .690, D .534/.709' },
  ];
}

/** Rows B, C and D of Table 2 on the test part. */
function ensembles(dataset: Dataset, cards: ModelCard[], embedded: OwnerEmbeddings[]): string {
  const row = new Map(dataset.samples.map((sample, i) => [sample, i]));
  const rowsOf = (part: 'validation' | 'test') => dataset.split[part].map((sample) => row.get(sample) as number);
  const positive = (i: number, s: number) => embedded[i].probabilities[2 * s + 1];
  const share = (s: number) => embedded.filter((_, i) => positive(i, s) > 0.5).length / embedded.length;
  const score = (rows: number[], predict: (s: number) => number) =>
    binaryScores(
      rows.map(predict),
      Int32Array.from(rows, (s) => dataset.labels[s]),
    );
  const [validation, test] = [rowsOf('validation'), rowsOf('test')];
  const atThreshold = (rows: number[], threshold: number) => score(rows, (s) => (share(s) > threshold ? 1 : 0)).f1;
  const thresholds = Array.from({ length: 100 }, (_, i) => i / 100);
  const threshold = thresholds.reduce((a, b) => (atThreshold(validation, b) > atThreshold(validation, a) ? b : a));
  const accuracies = cards.map((card) => card.scores.validationAccuracy);
  const best = accuracies.indexOf(Math.max(...accuracies));
  const bestScores = score(test, (s) => positive(best, s));
  return [
    `B majority vote F1 ${atThreshold(test, 0.5).toFixed(3)}`,
    `C vote above ${threshold} F1 ${atThreshold(test, threshold).toFixed(3)}`,
    `D best owner F1 ${bestScores.f1.toFixed(3)} AUC ${bestScores.auc.toFixed(3)}`,
  ].join(', ');
}
