// Chaos: kill -9 of the coordinator at random moments while members upload, train and predict; then everything is counted.
//   npm run chaos -- [--kills n] [--database embedded|postgres|both] [--seed n]
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { encodeArrow, textColumn } from '../src/arrow-table.ts';
import { RandomStream } from '../src/core/random.ts';
import { encodeBundle } from '../src/exchange/bundle.ts';
import { CoordinatorClient } from '../src/exchange/client.ts';
import { createKeyPair, loadKeyPair } from '../src/exchange/key-pair.ts';
import { CoordinatorProcess } from './support/coordinator-process.ts';
import { startPostgres } from './support/postgres-server.ts';
import { toyBundle, toyId, toyLabels } from './support/toy-bundles.ts';

const OWNERS = 4;
const SAMPLES = 200;
const PLAN = { config: { epochs: 60, patience: 60, hidden: 4 }, split: 1 };
const BACK_OFF = { attempts: 60, first: 100, longest: 1000 };

export interface ChaosReport {
  kills: number;
  uploads: number;
  trainings: number;
  predictions: number;
  /** What was acknowledged and is gone, or counts wrongly. */
  faults: string[];
}

/** Kills `kills` times, then checks that all that was acknowledged is there and the same as without kills. */
export async function chaos(kills: number, seed: number, database?: string): Promise<ChaosReport> {
  const dir = mkdtempSync(join(tmpdir(), 'f3-chaos-'));
  let coordinator = await CoordinatorProcess.start(dir, { ...(database && { database }) });
  const { url, operatorKey } = coordinator;
  const port = Number(new URL(url).port);
  const member = (keys: Awaited<ReturnType<typeof createKeyPair>>) =>
    new CoordinatorClient({ url, keys, backOff: BACK_OFF });
  const operator = member(await loadKeyPair(operatorKey));
  await operator.createFederation('grid');
  const enrol = async (owner: string, role: 'owner' | 'labels') => {
    const { code } = await operator.invite('grid', { owner, role });
    const keys = await createKeyPair();
    await new CoordinatorClient({ url, backOff: BACK_OFF }).enrol(code, keys);
    return member(keys);
  };
  const owners: CoordinatorClient[] = [];
  for (let i = 0; i < OWNERS; i++) owners.push(await enrol(`owner-${i}`, 'owner'));
  const holder = await enrol('holder', 'labels');
  for (const [i, owner] of owners.entries()) await owner.upload('grid', 'bundle', bundleOf(i, 1));
  await holder.upload('grid', 'labels', labelsOf());
  const expected = await train(operator);
  const answer = JSON.stringify(await predict(operator));

  const report: ChaosReport = { kills: 0, uploads: 0, trainings: 0, predictions: 0, faults: [] };
  const acknowledged = new Map<string, number>();
  const random = new RandomStream(seed, 0);
  const isOver = () => report.kills >= kills;
  const killer = async () => {
    while (!isOver()) {
      await sleep(200 + random.integer(2500));
      await coordinator.kill();
      coordinator = await CoordinatorProcess.start(dir, { port, ...(database && { database }) });
      report.kills++;
      process.stderr.write(`\rkilled ${report.kills} of ${kills} times`);
    }
  };
  // Owner 0 sends new versions all the time; they change nothing for trainings, whose plans name the first.
  const uploader = async () => {
    for (let version = 2; !isOver(); version++) {
      const bytes = bundleOf(0, version);
      const stored = await owners[0].upload('grid', 'bundle', bytes);
      acknowledged.set(sha256(bytes), stored.version);
      report.uploads++;
    }
  };
  const predictor = async () => {
    while (!isOver()) {
      if (JSON.stringify(await predict(operator)) !== answer) report.faults.push('a prediction changed');
      report.predictions++;
    }
  };
  await Promise.all([killer(), uploader(), predictor()]);
  process.stderr.write('\n');

  const versions = [...acknowledged.values()];
  if (versions.some((version, i) => version !== i + 2))
    report.faults.push(`versions ${versions.join()} are not in a row`);
  const status = await operator.status('grid');
  const [first] = status.owners as { owner: string; bundle?: { version?: number } }[];
  const newest = Math.max(1, ...versions);
  if (first.bundle?.version !== newest)
    report.faults.push(`version ${newest} was acknowledged, ${first.bundle?.version} is there`);
  // Back to the first content is a new story; the same training under kills must give the same bits.
  for (const trainings = Math.max(1, Math.floor(kills / 10)); report.trainings < trainings; report.trainings++) {
    await coordinator.kill();
    coordinator = await CoordinatorProcess.start(dir, { port, ...(database && { database }) });
    const under = train(operator);
    await sleep(300 + random.integer(600));
    await coordinator.kill();
    coordinator = await CoordinatorProcess.start(dir, { port, ...(database && { database }) });
    const [killed, whole] = [await under, await train(operator)];
    if (killed !== whole) report.faults.push('a training that was killed gave other weights');
  }
  if (versions.length === 0 && (await train(operator)) !== expected)
    report.faults.push('a training gave other weights');
  await coordinator.stop();
  rmSync(dir, { recursive: true, force: true });
  return report;
}

async function train(operator: CoordinatorClient): Promise<string> {
  const { id } = await operator.train('grid', PLAN);
  for await (const { state } of operator.trainingEvents('grid', id)) if (state === 'done') break;
  const { model } = await operator.training('grid', id);
  const { weights } = (await operator.model('grid', model as number)) as unknown as { weights: string };
  await operator.activate('grid', 1);
  return weights;
}

function predict(operator: CoordinatorClient) {
  const embeddings = Object.fromEntries(
    Array.from({ length: OWNERS - 1 }, (_, i) => [`owner-${i}`, Array.from(toyBundle(i).embeddings.subarray(0, 4))]),
  );
  return operator.predict('grid', { samples: [{ id: 's', embeddings }] });
}

/** Other embeddings for every version, so that none is taken for an earlier one. */
function bundleOf(owner: number, version: number): Uint8Array {
  const bundle = toyBundle(owner, { samples: SAMPLES });
  return encodeBundle({ ...bundle, embeddings: bundle.embeddings.map((value) => value + (version - 1) / 1024) });
}

function labelsOf(): Uint8Array {
  const sample = textColumn(Array.from({ length: SAMPLES }, (_, s) => toyId(s)));
  return encodeArrow({ sample, label: textColumn(Array.from(toyLabels(SAMPLES, 2, 1), (label) => `c${label}`)) }, {});
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

if (import.meta.main) {
  const { values } = parseArgs({
    options: { kills: { type: 'string' }, database: { type: 'string' }, seed: { type: 'string' } },
  });
  const { kills = '50', database = 'both', seed = '1' } = values;
  let faults = 0;
  for (const kind of database === 'both' ? ['embedded', 'postgres'] : [database]) {
    const server = kind === 'postgres' ? await startPostgres() : undefined;
    const report = await chaos(Number(kills), Number(seed), await server?.createDatabase());
    await server?.stop();
    faults += report.faults.length;
    const { uploads, trainings, predictions } = report;
    process.stdout.write(
      `${kind}: ${report.kills} kills, ${uploads} uploads, ${predictions} predictions and ${trainings} trainings acknowledged, ${report.faults.length} faults\n`,
    );
    for (const fault of report.faults) process.stdout.write(`  ${fault}\n`);
  }
  process.exitCode = faults === 0 ? 0 : 1;
}
