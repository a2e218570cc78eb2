// `npm run pictures`: the pictures of docs/dashboard.md, of a coordinator that is made for them, in a real browser.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { DashboardScene } from '../test/support/dashboard-scene.ts';
import { openBrowser } from '../test/support/open-browser.ts';

const FOLDER = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
const PATIENCE_MS = 300_000;

interface Picture {
  name: string;
  page: string;
  /** What is there when the page is ready. */
  ready: string;
  act?(page: Page, scene: DashboardScene): Promise<unknown>;
}

const PICTURES: Picture[] = [
  { name: 'federation', page: 'overview', ready: 'text=Pairs of owners' },
  {
    name: 'models',
    page: 'models/2?with=1',
    ready: 'text=Confusion of model 1',
    act: async (page) => {
      await page.waitForSelector('svg[aria-label^="F1 by the share"]');
      await page.evaluate('document.querySelector(".confusion").closest("section").scrollIntoView()');
    },
  },
  {
    name: 'graph',
    page: 'graph?model=1',
    ready: '[data-test=graph][data-done=true]',
    act: async (page) => {
      await page.fill('input[list="graph-owners"]', 'owner-7');
      await page.waitForSelector('h3:has-text("Alignment")');
    },
  },
  {
    name: 'what-if',
    page: 'what-if?model=1',
    ready: '[data-test=answer][data-absent="0"]',
    act: async (page) => {
      await page.locator('[data-test=share]').fill('0.3');
      await page.waitForSelector('[data-test=answer]:not([data-absent="0"])');
    },
  },
  {
    name: 'live',
    page: 'live',
    ready: 'text=Waiting for the first prediction',
    act: async (page, scene) => {
      for (let sent = 0; sent < 40; sent++) await scene.sendLive();
      await page.locator('tbody button.plain').first().click();
      await page.waitForSelector('[data-test=waterfall] tbody tr');
    },
  },
];

const { browser, missing } = await openBrowser();
if (!browser) throw new Error(missing);
const data = mkdtempSync(join(tmpdir(), 'f3-pictures-'));
const scene = await DashboardScene.start({
  data,
  owners: 24,
  samples: 2000,
  noise: 5,
  models: [
    { preset: 'graph', config: { epochs: 30, seed: 1 }, promote: 'always' },
    { config: { epochs: 40, hidden: 16, seed: 2, encoding: 'none', averageWeights: 0.9 }, promote: 'never' },
  ],
});
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(await scene.link());
  await page.waitForSelector('text=Federations');
  for (const { name, page: place, ready, act } of PICTURES) {
    await page.goto(`${scene.server.url}/#/f/grid/${place}`);
    await page.waitForSelector(ready);
    await act?.(page, scene);
    await page.evaluate('document.activeElement?.blur()');
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(FOLDER, `dashboard-${name}.png`) });
    process.stdout.write(`docs/pictures/dashboard-${name}.png\n`);
  }
} finally {
  await browser.close();
  await scene.close();
  rmSync(data, { recursive: true, force: true });
}
