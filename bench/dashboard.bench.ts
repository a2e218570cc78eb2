// The dashboard in a real browser: how soon it is there, ten thousand owners as a table and as a graph, a thousand predictions per second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { RandomStream } from '../src/core/random.ts';
import type { FederationStatus, ModelGraph } from '../src/exchange/messages.ts';
import { DashboardScene } from '../test/support/dashboard-scene.ts';
import { openBrowser } from '../test/support/open-browser.ts';
import type { Row } from './measure.ts';

const OWNERS = 10_000;
const EDGES = 30_000;
const PANNING_MS = 4000;
const [LIVE_PER_SECOND, LIVE_SECONDS] = [1000, 8];
const PATIENCE_MS = 300_000;

type Say = (text: string) => void;
type Job = (page: Page, scene: DashboardScene) => Promise<Row>;

const JOBS: Record<string, Job> = { first: firstView, table: tenThousandRows, graph: tenThousandDots, live: liveLoad };

/** Words choose jobs by their names: first, table, graph, live. */
export async function run(names: string[], say: Say): Promise<Row[]> {
  const { browser, missing } = await openBrowser();
  if (!browser) throw new Error(missing);
  const data = mkdtempSync(join(tmpdir(), 'f3-bench-'));
  const scene = await DashboardScene.start({
    data,
    owners: 6,
    models: [{ preset: 'graph', config: { epochs: 3, hidden: 4 }, promote: 'always' }],
  });
  const rows: Row[] = [];
  try {
    for (const [name, job] of Object.entries(JOBS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      say(`dashboard: ${name}`);
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      await page.goto(await scene.link());
      await page.waitForSelector('text=Federations');
      rows.push(await job(page, scene));
      await context.close();
    }
  } finally {
    await browser.close();
    await scene.close();
    rmSync(data, { recursive: true, force: true });
  }
  return rows;
}

const address = (scene: DashboardScene, name: string): string => `${scene.server.url}/#/f/grid/${name}`;

/** From the request for the page to the federation's readiness, with nothing in the browser's cache. */
async function firstView(page: Page, scene: DashboardScene): Promise<Row> {
  await page.goto('about:blank');
  const start = performance.now();
  await page.goto(address(scene, 'overview'));
  await page.waitForSelector('[data-test=readiness]');
  return { job: 'first view of a federation', oursMs: performance.now() - start, peers: {}, aim: '≤ 1000' };
}

async function tenThousandRows(page: Page, scene: DashboardScene): Promise<Row> {
  const path = '/v1/federations/grid';
  await page.route(
    ({ pathname }) => pathname === path,
    async (route) => {
      const status = (await (await route.fetch()).json()) as FederationStatus;
      const [, , one] = status.owners;
      status.owners = names().map((owner) => ({ ...one, owner }));
      await route.fulfill({ json: status });
    },
  );
  await page.goto(address(scene, 'overview'));
  await page.waitForSelector('text=of 10,000');
  const start = performance.now();
  await page.fill('.data-table input[type=search]', 'owner-09999');
  await page.waitForSelector('text=1 found');
  return { job: '10,000 owners: find one in the table', oursMs: performance.now() - start, peers: {} };
}

async function tenThousandDots(page: Page, scene: DashboardScene): Promise<Row> {
  await page.route('**/graph?edges=*', (route) => route.fulfill({ json: largeGraph() }));
  const start = performance.now();
  await page.goto(address(scene, 'graph?model=1'));
  await page.waitForSelector('[data-test=graph][data-done=true]');
  const settled = performance.now() - start;
  // The last positions are still being drawn; where software draws them, that takes seconds.
  for (let tries = 0; tries < 60 && (await countFrames(page, 500)).perSecond < 20; tries++);
  const place = await page.locator('[data-test=graph]').boundingBox();
  if (!place) throw new Error('the graph must be visible');
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
  const frames = countFrames(page, PANNING_MS);
  await page.mouse.move(x, y);
  await page.mouse.down();
  const end = performance.now() + PANNING_MS;
  for (let step = 0; performance.now() < end; step++) {
    await page.mouse.move(x + 150 * Math.sin(step / 12), y + 100 * Math.sin(step / 9));
    await sleep(8);
  }
  await page.mouse.up();
  const { perSecond, longestMs } = await frames;
  const figures = { 'frames/s while panning': perSecond, 'longest frame ms': longestMs };
  return {
    job: `graph of ${OWNERS} owners, ${EDGES} edges: until it is settled`,
    oursMs: settled,
    peers: {},
    figures,
    aim: '≥ 30 frames/s',
  };
}

/** Predictions are asked for in batches, which the live page shows one by one. */
async function liveLoad(page: Page, scene: DashboardScene): Promise<Row> {
  await page.goto(address(scene, 'live'));
  await page.waitForSelector('text=Waiting for the first prediction');
  const frames = countFrames(page, LIVE_SECONDS * 1000);
  const start = performance.now();
  const embedding = [0.1, 0.2, 0.3, 0.4];
  for (let batch = 0; batch < (LIVE_PER_SECOND / 100) * LIVE_SECONDS; batch++) {
    const samples = Array.from({ length: 100 }, (_, i) => ({
      id: `s${batch}-${i}`,
      embeddings: { 'owner-0': embedding },
    }));
    await scene.client('operator').predict('grid', { samples, graphs: 'mean' });
    await sleep(Math.max(0, start + (batch + 1) * 100 - performance.now()));
  }
  const sent = (LIVE_PER_SECOND * LIVE_SECONDS * 1000) / (performance.now() - start);
  const { perSecond, longestMs } = await frames;
  const clicked = performance.now();
  await page.click('button:has-text("Pause")');
  await page.waitForSelector('button:has-text("Go on")');
  const figures = { 'predictions/s': sent, 'frames/s': perSecond, 'longest frame ms': longestMs };
  return { job: 'live page under load: answer to a click', oursMs: performance.now() - clicked, peers: {}, figures };
}

/** Frames that the page draws in the next milliseconds. */
async function countFrames(page: Page, during: number): Promise<{ perSecond: number; longestMs: number }> {
  return (await page.evaluate(`new Promise((resolve) => {
    const start = performance.now();
    let [count, last, longestMs] = [0, start, 0];
    const frame = (now) => {
      count++;
      longestMs = Math.max(longestMs, now - last);
      last = now;
      if (now - start < ${during}) requestAnimationFrame(frame);
      else resolve({ perSecond: (1000 * count) / (now - start), longestMs });
    };
    requestAnimationFrame(frame);
  })`)) as { perSecond: number; longestMs: number };
}

const names = (): string[] => Array.from({ length: OWNERS }, (_, i) => `owner-${String(i).padStart(5, '0')}`);

/** Neighbours on a ring of groups, and some ties across. */
function largeGraph(): ModelGraph {
  const random = new RandomStream(1, 0);
  const edges = Array.from({ length: EDGES }, (_, e): [number, number, number] => {
    const from = Math.floor(random.uniform() * OWNERS);
    const reach = random.uniform() < 0.9 ? 40 : OWNERS;
    const to = (from + 1 + Math.floor(random.uniform() * reach)) % OWNERS;
    return [from, to, 1 - (0.5 * e) / EDGES];
  });
  const pairs = (OWNERS * (OWNERS - 1)) / 2;
  const histogram = Array.from({ length: 20 }, (_, i) => ({ from: i / 20, to: (i + 1) / 20, count: pairs / 20 }));
  return { model: 1, kind: 'learned', owners: names(), pairs, mean: 0.3, histogram, edges };
}
