// The dashboard in a real browser, against a real coordinator: what people do with it, from the link to the last page.
// With F3_PICTURES=1 pictures of every page are kept in test-results/dashboard; one of a page where a test fails always is.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createKeyPair } from '../src/exchange/identity/key-pair.ts';
import type { ModelGraph } from '../src/exchange/messages.ts';
import { loadModel } from '../src/facade/model.ts';
import { AXE, seriousViolations } from './support/axe.ts';
import { DashboardScene, SCENE_CLASSES, SCENE_HOLDER } from './support/dashboard-scene.ts';
import { freePorts } from './support/free-ports.ts';
import { LineProxy } from './support/line-proxy.ts';
import { openBrowser } from './support/open-browser.ts';
import { suiteDirectory } from './support/temporary-directory.ts';
import { unless } from './support/unless.ts';

const RESULTS = fileURLToPath(new URL('../test-results/dashboard/', import.meta.url));
const FAILED = 'failed';
/** Pages of a federation with something that is there once it has loaded. */
const PAGES: Record<string, string> = {
  overview: '[data-test=readiness]',
  training: 'h2:text-is("Runs")',
  models: 'h2:text-is("Versions")',
  graph: '[data-test=graph][data-done=true]',
  'what-if': '[data-test=answer]',
  live: 'h1:text-is("Live")',
  audit: 'main:has(h1:text-is("Audit log")) tbody tr',
  access: 'main:has(h2:text-is("Quotas")) tbody tr',
};
/** Against a page that hangs, not against a machine that is busy. */
const PATIENCE_MS = 120_000;

const { browser, missing } = await openBrowser();

describe('the dashboard', unless(missing), () => {
  const dir = suiteDirectory();
  let scene: DashboardScene;
  let line: LineProxy;
  let page: Page;
  /** What the browser complained of: scripts and styles that the policy forbids, and errors. */
  const complaints: string[] = [];

  beforeAll(async () => {
    mkdirSync(RESULTS, { recursive: true });
    scene = await DashboardScene.start({
      data: dir,
      owners: 9,
      models: [
        { preset: 'graph', config: { epochs: 3, hidden: 4, seed: 1 }, promote: 'always' },
        { config: { epochs: 4, hidden: 4, seed: 2, encoding: 'none' }, promote: 'never' },
      ],
    });
    line = await LineProxy.open(Number(new URL(scene.server.url).port));
    page = await openPage();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await picture(FAILED);
  });
  afterAll(async () => {
    await browser?.close();
    line?.close();
    await scene?.close();
  });

  async function openPage(width = 1280): Promise<Page> {
    const context = await browser!.newContext({ viewport: { width, height: 900 }, acceptDownloads: true });
    context.setDefaultTimeout(PATIENCE_MS);
    const opened = await context.newPage();
    opened.on('pageerror', (error) => complaints.push(error.message));
    // A request that was refused is told by the page itself; what the test provokes is no complaint.
    opened.on('console', (said) => {
      if (said.type() === 'error' && !said.text().includes('Failed to load resource')) complaints.push(said.text());
    });
    return opened;
  }

  /** A link of the member, through the line that can be cut. */
  const link = async (member?: string): Promise<string> =>
    (await scene.link(member)).replace(scene.server.url, line.url);
  const goTo = async (name: string, of = page): Promise<void> => {
    await of.goto(`${line.url}/#/f/grid/${name}`);
    await of.waitForSelector(PAGES[name.split(/[/?]/)[0]]);
  };
  const picture = async (name: string, of = page): Promise<void> => {
    if (!process.env.F3_PICTURES && name !== FAILED) return;
    await of.screenshot({ path: join(RESULTS, `${name}.png`), fullPage: true });
  };

  test('asks for a link, takes it once, and keeps its code out of the address', async () => {
    await page.goto(line.url);
    await page.waitForSelector('text=Ask for a link to come in');
    expect(await page.textContent('main')).toContain('f3 dashboard');
    const used = await link();
    await page.goto(used);
    await page.waitForSelector('text=Federations');
    expect(page.url()).not.toContain('code');
    const other = await openPage();
    await other.goto(used);
    await other.waitForSelector('text=This link does not open the page');
    await picture('sign-in', other);
    await other.context().close();
  });

  test('says who has sent, and what a training would use', async () => {
    await page.click('tbody a:has-text("grid")');
    await page.waitForSelector(PAGES.overview);
    expect(await page.textContent(PAGES.overview)).toContain(
      '2 owners have not sent (late-1 and late-2); training would use 9 of 11.',
    );
    await page.waitForSelector('text=Samples in common');
    expect(await page.locator('tbody tr:has-text("owner-3")').first().textContent()).toContain('version 1');
  });

  test('invites an owner, and shows the command to join with', async () => {
    await page.fill('input[placeholder="plant-7"]', 'plant-7');
    await page.click('button:has-text("Invite")');
    await page.waitForSelector('.made pre');
    expect(await page.textContent('.made pre')).toMatch(/^f3 owner join http:\/\/127\.0\.0\.1:\d+ --code \S+$/);
    await picture('federation');
  });

  test('watches a training from its start to its end', async () => {
    await goTo('training');
    await page.click('summary:has-text("Advanced options")');
    await page.fill('label:has(.name:text-is("epochs")) input', '6');
    await page.locator('label:has(.name:text-is("epochs")) input').blur();
    await page.selectOption('label:has(.name:text-is("encoding")) select', 'none');
    await page.selectOption('label:has-text("The new model answers") select', 'never');
    await page.click('button:has-text("Start training")');
    await page.waitForURL(/#\/f\/grid\/training\/[0-9a-f-]{36}$/);
    await page.waitForSelector('[data-test=state]:has-text("done")');
    await page.waitForSelector('[data-test=outcome]:has-text("model 3")');
    const chart = await page.getAttribute('svg[aria-label^="Losses by epoch"]', 'aria-label');
    expect(chart).toMatch(/validation: \d/);
    await page.waitForSelector(`dt:text-is("Worker") + dd:has-text("${hostname()}:${process.pid}")`);
    await page.locator('summary:has-text("Log")').click();
    expect(await page.textContent('.log')).toContain('Done');
    await picture('training');
  });

  test('lays runs over each other', async () => {
    const boxes = page.locator('input[aria-label^="Lay run"]');
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.waitForSelector('svg[aria-label^="Validation losses by epoch"]');
    await picture('overlay');
  });

  test('compares two models, promotes one with a reason, and rolls back', async () => {
    await goTo('models/3?with=1');
    await page.waitForSelector('text=Configurations that differ');
    await page.waitForSelector('text=Confusion of model 3');
    await page.waitForSelector('svg[aria-label^="ROC of class"]');
    expect(await page.textContent('table:has(caption:text("Configuration and origin"))')).toContain('graph');
    await picture('models');
    await page.fill('input[placeholder="better on winter samples"]', 'calmer at night');
    await page.click('button:has-text("Promote it")');
    await page.click('button:has-text("Yes")');
    await page.waitForSelector('text=Model 3 answers.');
    await goTo('models/1');
    await page.click('button:has-text("Roll back to it")');
    await page.click('button:has-text("Yes")');
    await page.waitForSelector('text=Model 1 answers.');
    await goTo('audit');
    await page.waitForSelector('tbody tr:has-text("calmer at night")');
    await picture('audit');
  });

  test('reads the audit log from its end, and goes back as far as is wanted', async () => {
    // A log of a few pages, without the thousand entries that it would take.
    await page.route('**/audit?limit=200*', (route) =>
      route.continue({ url: route.request().url().replace('limit=200', 'limit=20') }),
    );
    await goTo('overview');
    await goTo('audit');
    // Entries may be added meanwhile, so there may be more than a page.
    const newest = /The newest (\d+) of (\d+)/.exec((await page.textContent('.more')) ?? '') ?? [];
    const [shown, all] = newest.slice(1).map(Number);
    expect(shown).toBeGreaterThanOrEqual(20);
    expect(all).toBeGreaterThan(shown);
    await page.click('button:has-text("older")');
    await page.waitForSelector(`tbody tr:nth-child(${Math.min(all, shown + 20)})`);
    await page.unroute('**/audit?limit=200*');
  });

  test('downloads a model that the program can open', async () => {
    await goTo('models/1');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download the model')]);
    expect(download.suggestedFilename()).toMatch(/^grid-model-1\./);
    await download.saveAs(join(dir, 'model.tar'));
    execFileSync('tar', ['-xf', 'model.tar'], { cwd: dir });
    const model = await loadModel(join(dir, 'grid-model-1'));
    const answers = await model.predict({ owner: 'owner-0', samples: ['tonight'], embeddings: [[0, 0, 0, 0]] });
    expect(answers.samples).toEqual(['tonight']);
    expect(model.facts.classes).toEqual(SCENE_CLASSES);
    await model.dispose();
  });

  test('draws the consensus graph, with what an owner is tied to, and writes it to files', async () => {
    await goTo('graph?model=1');
    await page.waitForSelector('button:has-text("Map")[aria-pressed=true]');
    await page.waitForSelector('.map-lines', { state: 'attached' });
    await picture('graph-map');
    await page.click('button:has-text("Forces")');
    await page.waitForSelector('.map-lines', { state: 'detached' });
    await page.waitForSelector(PAGES.graph);
    await page.click('button:has-text("Map")');
    await page.locator('tbody th button.plain').first().click();
    await page.waitForSelector('h3:has-text("Tied to")');
    await page.waitForSelector('h3:has-text("Alignment")');
    await page.waitForSelector('text=/Without it/');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('.exports button:has-text("CSV")'),
    ]);
    expect(download.suggestedFilename()).toBe('grid-model-1-graph.csv');
    await picture('graph');
  });

  test('moves a large graph as one picture, and draws it anew when the pointer lets go', async () => {
    const owners = Array.from({ length: 1600 }, (_, i) => `owner-${i}`);
    const large: ModelGraph = {
      model: 1,
      kind: 'learned',
      owners,
      pairs: owners.length - 1,
      mean: 0.5,
      histogram: [{ from: 0.5, to: 0.55, count: owners.length - 1 }],
      edges: owners.slice(1).map((_, i): [number, number, number] => [i, i + 1, 0.5]),
    };
    await page.route('**/graph?edges=*', (route) => route.fulfill({ json: large }));
    await goTo('overview');
    await goTo('graph?model=1');
    const place = (await page.locator('[data-test=graph]').boundingBox())!;
    const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 40);
    await page.waitForSelector('.snapshot:not([hidden])');
    await page.mouse.up();
    await page.waitForSelector('.snapshot[hidden]', { state: 'attached' });
    await page.unroute('**/graph?edges=*');
  });

  test('switches owners off by click, by lasso and by share, and finds the five that matter most', async () => {
    await goTo('what-if?model=1');
    const absent = (count: number) => page.waitForSelector(`[data-test=answer][data-absent="${count}"]`);
    await absent(0);
    await page.click('button:has-text("Rows")');
    await page.waitForSelector('button:has-text("Rows")[aria-pressed=true]');
    // A locator waits until what it points at stands still.
    await page.locator('[data-test=field]').hover({ position: { x: 2, y: 2 } });
    const field = (await page.locator('[data-test=field]').boundingBox())!;
    await page.mouse.click(field.x + 25, field.y + 25);
    await absent(1);
    await page.mouse.move(field.x + 2, field.y + 2);
    await page.mouse.down();
    for (const [x, y] of [
      [field.width * 0.6, 2],
      [field.width * 0.6, field.height - 2],
      [2, field.height - 2],
    ])
      await page.mouse.move(field.x + x, field.y + y);
    await page.mouse.up();
    await page.waitForSelector('[data-test=answer]:not([data-absent="0"], [data-absent="1"])');
    await page.click('button:has-text("Everybody back")');
    await absent(0);
    await page.locator('[data-test=share]').fill('0.35');
    await absent(3);
    await page.click('button:has-text("Find out")');
    await page.waitForSelector('[data-test=five]');
    expect(await page.locator('[data-test=five] tbody tr').count()).toBe(5);
    await picture('what-if');
  });

  test('shows live predictions as they come, and which owners pushed one', async () => {
    await page.goto(`${line.url}/#/f/grid/live`);
    await page.waitForSelector('text=Waiting for the first prediction');
    let sent = 0;
    // The page may open its stream after the first sample was answered, so samples are sent until one is seen.
    while ((await page.locator('tbody button.plain').count()) === 0 && sent++ < 200) await scene.sendLive();
    await page.locator('tbody button.plain').first().click();
    await page.waitForSelector('[data-test=waterfall] tbody tr');
    expect(await page.textContent('[data-test=waterfall]')).toContain('leave one out');
    await picture('live');
  });

  test('shows an owner its own entry, and nothing that it could change', async () => {
    const owner = await openPage();
    await owner.goto(await link('owner-0'));
    await owner.waitForSelector('h2:has-text("owner-0")');
    expect(await owner.textContent('body')).not.toContain('owner-1');
    expect(await owner.locator('main button:not(.small, .sort)').count()).toBe(0);
    expect(await seriousViolations(owner, AXE)).toEqual([]);
    await picture('owner', owner);
    await owner.context().close();
  });

  test('says what is missing, and what to do next', async () => {
    await scene.client('operator').createFederation('new');
    const said: Record<string, string> = {
      'new/overview': 'No owner has joined yet',
      'new/training': 'Nothing was trained yet',
      'new/models': 'There is no model yet',
      'new/graph': 'There is no model yet',
      'new/what-if': 'There is no model yet',
      'new/live': 'Waiting for the first prediction',
      'new/access': 'No program may predict with a token yet',
      'grid/models/99': 'There is no model 99',
      'grid/graph?model=99': 'There is no such model',
      'grid/what-if?model=99': 'There is no such model',
      'grid/training/00000000-0000-4000-8000-000000000000': 'There is no run 00000000',
      'nobody/overview': 'There is no such federation here',
    };
    for (const [name, sentence] of Object.entries(said)) {
      await page.goto(`${line.url}/#/f/${name}`);
      await page.waitForSelector(`text=${sentence}`);
    }
  });

  test('shows entities that hold shares and how they stand, also to a screen reader', async () => {
    const ports = await freePorts(3);
    const keys = await Promise.all(ports.map(() => createKeyPair()));
    const entities = keys.map(({ id }, i) => `tls://127.0.0.1:${ports[i]}#${id}`);
    await scene.client('operator').createFederation('vault', undefined, { entities });
    await page.goto(`${line.url}/#/f/vault/access`);
    await page.waitForSelector('tbody tr:has-text("entity 3"):has-text("away")');
    await page.waitForSelector('text=Nothing was opened yet');
    expect(await seriousViolations(page, AXE)).toEqual([]);
    await picture('shares');
  });

  test('has nothing that shuts people out, in light and in dark', async () => {
    const found: string[] = [];
    for (const name of Object.keys(PAGES)) {
      await goTo(name);
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        found.push(...(await seriousViolations(page, AXE)).map((problem) => `${name}, ${scheme}: ${problem}`));
      }
      await picture(`${name}-dark`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    expect(found).toEqual([]);
  });

  test('fits a phone of 400 pixels, with nothing cut', async () => {
    await page.setViewportSize({ width: 400, height: 850 });
    const wide: string[] = [];
    for (const name of [...Object.keys(PAGES), 'models/3?with=1']) {
      await goTo(name);
      // Names of classes may be long, and so are those of owners.
      await page.evaluate(
        `for (const one of document.querySelectorAll('main .inline option')) one.textContent = 'long '.repeat(20)`,
      );
      const over = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      if (over > 0) wide.push(`${name}: ${over} pixels too wide`);
      await picture(`${name.replace(/\W+/g, '-')}-phone`);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(wide).toEqual([]);
  });

  test('says that the coordinator is away, and goes on when it is back', async () => {
    // An answer that breaks off is none.
    const broken = { contentType: 'application/json', body: '{"name":"gr' };
    await page.route('**/v1/federations/grid', (route) => route.fulfill(broken));
    await page.goto(`${line.url}/#/f/grid/overview`);
    await page.waitForSelector('[data-test=away]:has-text("does not answer")');
    await page.unroute('**/v1/federations/grid');
    await goTo('overview');
    line.takeDown();
    await page.waitForSelector('[data-test=away]:has-text("does not answer")');
    await picture('away');
    line.bringUp();
    await page.waitForSelector('[data-test=away].hidden', { state: 'attached' });
    await scene.client('operator').invite('grid', { owner: 'plant-8', role: 'owner' });
    await page.waitForSelector('text=plant-8');
  });

  test('lists sessions, and says when its own has ended', async () => {
    await page.goto(`${line.url}/#/sessions`);
    await page.waitForSelector('tbody tr:has-text("this one")');
    expect(await seriousViolations(page, AXE)).toEqual([]);
    await picture('sessions');
    const other = await openPage();
    await other.goto(await link(SCENE_HOLDER));
    await other.waitForSelector(PAGES.overview);
    await page.reload();
    const row = page.locator(`tbody tr:has-text("${SCENE_HOLDER}")`).first();
    await row.locator('button').click();
    await row.locator('button:has-text("Yes")').click();
    await other.waitForSelector('text=Your session has ended');
    await other.context().close();
    await page.locator('button:text-is("Log out")').first().click();
    await page.waitForSelector('text=Ask for a link to come in');
    expect(await seriousViolations(page, AXE)).toEqual([]);
  });

  test('gave the browser nothing to complain of', () => {
    expect(complaints).toEqual([]);
  });
});
