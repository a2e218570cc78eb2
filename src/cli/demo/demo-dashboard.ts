// The end of `f3 demo` for people: the dashboard of its federation, with predictions that go on until Ctrl-C.
import { setTimeout as sleep } from 'node:timers/promises';
import { RandomStream } from '../../core/random.ts';
import { openDataset } from '../../data/dataset/dataset.ts';
import { dashboardUrl } from '../../exchange/identity/dashboard-url.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import { DemoFederation } from './demo-federation.ts';
import type { DemoScene } from './demo-scene.ts';
import { readTestPart, type TestPart } from './demo-scores.ts';

/** Time between two predictions. */
const EVERY_MS = 1000;
/** Of every sample, a few owners are away, others each time. */
const AWAY = 0.15;
const AWAY_STREAM = 8;

/** Returns at Ctrl-C. Without a federation that runs, the coordinator is started anew on what the demo has left. */
export async function showDashboard(scene: DemoScene, open: boolean, running?: DemoFederation): Promise<void> {
  const federation = running ?? (await DemoFederation.again(scene));
  const { client, name, charter } = federation;
  const test = await readTestPart(await openDataset(scene.path('data')), scene.path('bundles'));
  const { code } = await client.sessionCode();
  const url = dashboardUrl(client.connection.origin, code);
  process.stderr.write(
    `f3: the dashboard of this federation, until Ctrl-C (the link is good once; with --keep, f3 serve shows it again)\n    ${url}\n`,
  );
  if (open) await openBrowser(url);
  const ended = scene.interruption();
  // On shares a sample is asked about by its name; who is away is left out.
  const predict = (sample: AskedSample) =>
    charter === undefined
      ? client.predict(name, { samples: [{ id: sample.id, embeddings: sample.embeddings }] })
      : client.predict(name, { samples: [{ id: sample.id }], without: sample.away });
  const predicting = predictOn(test, predict, ended.signal);
  await Promise.race([ended.promise, federation.failed, predicting]);
}

/** A sample of the test part, with the embeddings of the owners that are there, and those that are not. */
interface AskedSample {
  id: string;
  embeddings: Record<string, number[]>;
  away: string[];
}

/** Asks about one sample of the test part after the other, as owners would send them, until the signal. */
async function predictOn(
  { samples }: TestPart,
  predict: (sample: AskedSample) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    const { id, embeddings } = samples[turn % samples.length];
    const random = new RandomStream(turn, AWAY_STREAM);
    const seen = Array.from(embeddings, ([owner, values]) => [owner, Array.from(values)] as const);
    const drawn = seen.filter(() => random.uniform() >= AWAY);
    const there = new Map(drawn.length > 0 ? drawn : seen.slice(0, 1)); // somebody is there, whatever was drawn
    const away = [...embeddings.keys()].filter((owner) => !there.has(owner));
    await predict({ id, embeddings: Object.fromEntries(there), away });
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
