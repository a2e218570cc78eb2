// The work behind `f3 demo`: simulate a grid, let its owners train and push, fuse, predict live, compare, report.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RandomStream } from '../../core/random.ts';
import { openDataset } from '../../data/dataset/dataset.ts';
import { simulateGrid } from '../../data/simulate/grid/simulate-grid.ts';
import { type FusionChoice, paperRows } from '../../fuse/fusion-config.ts';
import { checkReportTarget } from '../../reproduce/report/write-report.ts';
import { printResult, reportError } from '../run-command.ts';
import { compareRows } from './demo-comparison.ts';
import { DemoFederation, type DemoFit } from './demo-federation.ts';
import { readLearnedGraphs, relateToGrid } from './demo-graph.ts';
import { chooseEvents, streamLive } from './demo-live.ts';
import { type DemoResult, FUSED, GRAPHED, MEAN_POOLING } from './demo-result.ts';
import { DemoScene } from './demo-scene.ts';
import { type DemoVerdict, judgeWithout, readTestPart, rowOf } from './demo-scores.ts';
import { demoText } from './demo-text.ts';

export interface DemoOptions {
  /** Default: 43, or fewer on shares. */
  owners?: number;
  /** Default: 2000, or fewer on shares. */
  samples?: number;
  seed: number;
  out: string;
  keep?: boolean;
  /** False with --no-open. */
  open: boolean;
  stay?: boolean;
  onShares?: boolean;
  json?: boolean;
}

/** What the demo plays with where nothing else is asked for. */
export const SIZE = { owners: 43, samples: 2000 };

/** Several fits are averaged, because half of the noise between models comes from their random first weights. */
const FITS = 3;
const ABSENT_SHARE = 0.3;
const ABSENT_STREAM = 6;
const MODELS: { model: string; choice: FusionChoice }[] = [
  { model: MEAN_POOLING, choice: { preset: 'paper', ...paperRows.E } },
  { model: GRAPHED, choice: { preset: 'graph' } },
  { model: FUSED, choice: { preset: 'recommended' } },
];

export async function runDemo(options: DemoOptions): Promise<void> {
  const { out, keep = false, json } = options;
  const { stay = isPerson() && !json } = options;
  checkReportTarget(out);
  await DemoScene.with(keep, async (scene) => {
    const result = await timeDemo(scene, options);
    await (await import('./demo-report.ts')).writeDemoReport(out, result);
    scene.progress.stop();
    const report = pathToFileURL(resolve(out, 'report.html')).href;
    const kept = keep ? `\nkept: ${scene.dir}` : '';
    const value = { ...result, report, ...(keep && { kept: scene.dir }) };
    printResult(value, `${demoText(result)}\nreport: ${report}${kept}`, json);
    if (!stay) return;
    const { showDashboard } = await import('./demo-dashboard.ts');
    await showDashboard(scene, options.open && process.stdout.isTTY === true);
  }).catch((error: unknown) => process.exit(reportError(error))); // without waiting for simulating threads and retries
}

/** Whether a person sits at the terminal: programs and CI want the demo to end. */
export const isPerson = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI;

async function timeDemo(scene: DemoScene, options: DemoOptions): Promise<DemoResult> {
  const { owners, samples, seed } = { ...SIZE, ...options };
  const start = performance.now();
  const { update } = scene.progress;
  update('1/6 coordinator', 0, 1);
  const federation = await DemoFederation.start(scene);
  const result = simulateAndFuse(scene, federation, { owners, samples, seed });
  return { ...(await Promise.race([result, federation.failed])), seconds: (performance.now() - start) / 1000 };
}

async function simulateAndFuse(
  scene: DemoScene,
  federation: DemoFederation,
  { owners: count, samples: events, seed }: { owners: number; samples: number; seed: number },
): Promise<Omit<DemoResult, 'seconds'>> {
  const { update } = scene.progress;
  const { client, name, pid } = federation;
  // Two of three buses have a unit, as in the paper's PMU-C, so most events are close to some owner.
  const grid = { preset: 'pmu-c' as const, owners: count, samples: events, seed, out: scene.path('data') };
  await simulateGrid(grid, (stage, done, total) => update(`2/6 grid: ${stage}`, done, total));
  const dataset = await openDataset(grid.out);
  const { owners, samples, classes } = dataset;
  const training = '3/6 owners: join, train alone, push once, end';
  update(training, 0, owners.length);
  const sent = await federation.sendOwners(dataset, seed, (done) => update(training, done, owners.length));
  await federation.sendLabels(`${dataset.dir}/labels.arrow`);

  const fusing = '4/6 coordinator: training, owners offline';
  const plans = MODELS.flatMap((each) => Array.from({ length: FITS }, (_, i) => ({ ...each, seed: seed + i })));
  const trainingStarted = Date.now();
  const fits: DemoFit[] = [];
  update(fusing, 0, plans.length);
  for (const { model, choice, seed: own } of plans) {
    fits.push(await federation.fit(model, { ...choice, seed: own }, dataset));
    update(fusing, fits.length, plans.length);
  }

  const test = await readTestPart(dataset, scene.path('bundles'));
  const absent = chooseAbsent(owners, seed);
  const verdicts = new Map<DemoFit, { all: DemoVerdict; some: DemoVerdict }>();
  for (const fit of fits) {
    await client.activate(name, fit.version);
    const all = await judgeWithout(client, name, test, []);
    verdicts.set(fit, { all, some: await judgeWithout(client, name, test, absent) });
  }
  await client.activate(name, bestOf(fits.filter(({ model }) => model === FUSED)).version);
  const live = { events: chooseEvents(test, absent), owners: owners.filter((owner) => !absent.includes(owner)) };
  const stage = `5/6 owners: live, ${absent.length} of ${owners.length} away`;
  const answers = await streamLive(scene, federation, dataset, live, (done, of) => update(stage, done, of));

  update('6/6 report', 0, 1);
  await scene.processes.pause();
  const of = (wanted: string) => fits.filter(({ model }) => model === wanted);
  const verdictsOf = (model: string, who: 'all' | 'some') =>
    of(model).map((fit) => (verdicts.get(fit) as { all: DemoVerdict; some: DemoVerdict })[who]);
  const scoresOf = (model: string, who: 'all' | 'some') => verdictsOf(model, who).map(({ scores }) => scores);
  const rows = [
    ...test.votes.map(({ model, scores }) => rowOf(model, [scores])),
    ...MODELS.map(({ model }) => rowOf(model, scoresOf(model, 'all'))),
    ...MODELS.map(({ model }) => rowOf(model, scoresOf(model, 'some'), true)),
  ];
  const versions = of(GRAPHED).map(({ version }) => version);
  const graphs = await readLearnedGraphs(federation.data, name, versions);
  const graph = relateToGrid(graphs, dataset.dir, seed);
  const comparisons = compareRows(verdictsOf, test, seed);
  const curves = MODELS.map(({ model }) => ({
    label: model,
    seeds: of(model).map(({ card }) => card.history.map(({ validationLoss }) => validationLoss)),
  }));
  return {
    simulated: true,
    owners: owners.length,
    samples: samples.length,
    tested: test.samples.length,
    seed,
    fits: FITS,
    classes,
    rows,
    comparisons,
    graph,
    absent,
    live: answers,
    curves,
    processes: { demo: process.pid, coordinator: pid, owners: sent, trainingStarted },
  };
}

export function chooseAbsent(owners: readonly string[], seed: number): string[] {
  const order = new RandomStream(seed, ABSENT_STREAM).permutation(owners.length);
  const chosen = new Set(order.subarray(0, Math.round(ABSENT_SHARE * owners.length)));
  return owners.filter((_, slot) => chosen.has(slot));
}

/** Chooses by validation, because the test part must not influence the choice. */
const bestOf = (fits: readonly DemoFit[]): DemoFit =>
  fits.reduce((a, b) => (b.card.validation.loss < a.card.validation.loss ? b : a));
