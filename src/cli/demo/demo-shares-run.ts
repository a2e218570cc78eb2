// The work behind `f3 demo --on-shares`: entities hold the embeddings in shares, and what anybody could have read is tried at the end.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDataset } from '../../data/dataset/dataset.ts';
import { simulateGrid } from '../../data/simulate/grid/simulate-grid.ts';
import { federationShares } from '../../exchange/client/federation-shares.ts';
import { resolveFusionConfig } from '../../fuse/fusion-config.ts';
import { checkReportTarget } from '../../reproduce/report/write-report.ts';
import { printResult, reportError } from '../run-command.ts';
import { DemoEntities } from './demo-entities.ts';
import { DemoFederation } from './demo-federation.ts';
import { chooseEvents, streamLive } from './demo-live.ts';
import { tryReading } from './demo-readers.ts';
import { chooseAbsent, type DemoOptions, isPerson } from './demo-run.ts';
import { DemoScene } from './demo-scene.ts';
import { judgeOnShares, readTestPart, rowOf } from './demo-scores.ts';
import { type DemoSharesResult, IN_THE_CLEAR, ON_SHARES } from './demo-shares-result.ts';
import { demoSharesText } from './demo-shares-text.ts';

/** Every step is computed by three entities, so the demo is smaller than the one in the clear. */
export const SHARES_SIZE = { owners: 12, samples: 800 };
const CONFIG = { preset: 'shares' as const, epochs: 40, patience: 40 };
/** Owners that come back to send live: each is a process, and a few show it. */
const LIVE_OWNERS = 4;

export async function runSharesDemo(options: DemoOptions): Promise<void> {
  const { out, keep = false, json } = options;
  const { stay = isPerson() && !json } = options;
  checkReportTarget(out);
  await DemoScene.with(keep, async (scene) => {
    const { update } = scene.progress;
    update('1/7 three entities and a coordinator', 0, 1);
    const start = performance.now();
    const entities = await DemoEntities.start(scene);
    const federation = await DemoFederation.start(scene, entities);
    const played = play(scene, federation, entities, options);
    const seconds = () => (performance.now() - start) / 1000;
    const result = { ...(await Promise.race([played, federation.failed])), seconds: seconds() };
    await (await import('./demo-shares-report.ts')).writeSharesReport(out, result);
    scene.progress.stop();
    const report = pathToFileURL(resolve(out, 'report.html')).href;
    const kept = keep ? `\nkept: ${scene.dir}` : '';
    const value = { ...result, report, ...(keep && { kept: scene.dir }) };
    printResult(value, `${demoSharesText(result)}\nreport: ${report}${kept}`, json);
    if (!stay) return;
    const { showDashboard } = await import('./demo-dashboard.ts');
    await showDashboard(scene, options.open && process.stdout.isTTY === true, federation);
  }).catch((error: unknown) => process.exit(reportError(error))); // without waiting for simulating threads and retries
}

async function play(
  scene: DemoScene,
  federation: DemoFederation,
  entities: DemoEntities,
  { owners: count = SHARES_SIZE.owners, samples: events = SHARES_SIZE.samples, seed }: DemoOptions,
): Promise<Omit<DemoSharesResult, 'seconds'>> {
  const { update } = scene.progress;
  const { client, name } = federation;
  const charter = federation.charter as string;
  const grid = { preset: 'pmu-c' as const, owners: count, samples: events, seed, out: scene.path('data') };
  await simulateGrid(grid, (stage, done, total) => update(`2/7 grid: ${stage}`, done, total));
  const dataset = await openDataset(grid.out);
  const { owners, samples, classes } = dataset;
  const pushing = '3/7 owners: join, train alone, push a share to each entity, end';
  update(pushing, 0, owners.length);
  const sent = await federation.sendOwners(dataset, seed, (done) => update(pushing, done, owners.length));
  await federation.sendLabels(`${dataset.dir}/labels.arrow`);

  const trainingStarted = Date.now();
  const training = '4/7 entities: training on shares, owners offline';
  const choice = { ...CONFIG, seed };
  update(training, 0, CONFIG.epochs);
  const { card } = await federation.fit(ON_SHARES, choice, dataset, ({ epoch }) =>
    update(training, epoch ?? 0, CONFIG.epochs),
  );
  const trainingSeconds = (Date.now() - trainingStarted) / 1000;

  update('5/7 predictions on shares, all owners offline', 0, 1);
  const clear = { model: IN_THE_CLEAR, config: resolveFusionConfig(choice) };
  const test = await readTestPart(dataset, scene.path('bundles'), [clear]);
  const absent = chooseAbsent(owners, seed);
  const [all, some] = [await judgeOnShares(client, name, test, []), await judgeOnShares(client, name, test, absent)];
  const back = owners.filter((owner) => !absent.includes(owner)).slice(0, LIVE_OWNERS);
  const away = owners.filter((owner) => !back.includes(owner));
  const live = { events: chooseEvents(test, away), owners: back };
  const stage = `6/7 owners: live in shares, ${away.length} of ${owners.length} away`;
  const answers = await streamLive(scene, federation, dataset, live, (done, of) => update(stage, done, of));

  update('7/7 who could have read what', 0, 1);
  const { ledger = [] } = await federationShares(client, name, { check: true });
  const { threshold } = entities;
  const bundles = scene.path('bundles');
  const reading = await tryReading({ entities: entities.entities, threshold, charter, owners, bundles });
  return {
    simulated: true,
    onShares: true,
    owners: owners.length,
    samples: samples.length,
    tested: test.samples.length,
    seed,
    classes,
    rows: [
      ...test.votes.map(({ model, scores }) => rowOf(model, [scores])),
      rowOf(ON_SHARES, [all.scores]),
      rowOf(ON_SHARES, [some.scores], true),
    ],
    absent,
    live: answers,
    training: { epochs: card.history.length, bestEpoch: card.bestEpoch, seconds: trainingSeconds },
    charter,
    threshold,
    ledger,
    reading,
    processes: {
      demo: process.pid,
      coordinator: federation.pid,
      entities: [...entities.entities],
      owners: sent,
      trainingStarted,
    },
  };
}
