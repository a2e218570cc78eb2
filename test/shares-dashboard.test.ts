// The dashboard of a federation on shares in a real browser: its pages show what there is, and say plainly what is not.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { dashboardUrl } from '../src/exchange/identity/dashboard-url.ts';
import { openBrowser } from './support/open-browser.ts';
import { SharesScene, toyOwners } from './support/shares-scene.ts';
import { suiteDirectory } from './support/temporary-directory.ts';
import { toyId } from './support/toy-bundles.ts';
import { unless } from './support/unless.ts';

const SAMPLES = 40;
const LONG_MS = 600_000;
/** Against a page that hangs, not against a machine that is busy. */
const PATIENCE_MS = 60_000;

const { browser, missing } = await openBrowser();

describe('the dashboard of a federation on shares', unless(missing), () => {
  const dir = suiteDirectory();
  let scene: SharesScene;

  beforeAll(async () => {
    scene = await SharesScene.start(dir);
    await scene.populate(toyOwners(3, SAMPLES), SAMPLES);
    const config = { epochs: 2, hidden: 4, batch: 20 };
    expect(await scene.train({ config, split: 1 })).toMatchObject({ state: 'done' });
  }, LONG_MS);
  afterAll(async () => {
    await browser?.close();
    await scene?.close();
  }, LONG_MS);

  test(
    'shows entities, ledger and live predictions, and says why the model cannot be tried without entities',
    async () => {
      const page = await (await browser!.newContext()).newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      const complaints: string[] = [];
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('response', (answer) => void (answer.status() >= 400 && complaints.push(answer.url())));
      const operator = scene.client('operator');
      const { code } = await operator.sessionCode();
      await page.goto(dashboardUrl(scene.server.url, code));
      await page.waitForSelector('text=Federations');
      const shown = async (name: string, ready: string) => {
        await page.goto(`${scene.server.url}/#/f/grid/${name}`);
        await page.waitForSelector(ready);
        return page.innerText('main');
      };
      await shown('overview', '[data-test=on-shares]');
      await shown('training', 'text=What entities can compute on shares');
      await shown('models', 'text=Confusion, curves, calibration and what absence costs are not available on shares');
      await shown('what-if', 'text=What the model would say without some owners is not available on shares');
      await shown('live', 'text=Waiting for the first prediction');
      // The page may begin to listen a moment after it says that it waits.
      const isSeen = async () => {
        await operator.predict('grid', { samples: [{ id: toyId(3) }] });
        return (await page.locator(`tbody >> text=${toyId(3)}`).count()) > 0;
      };
      await vi.waitUntil(isSeen, { timeout: PATIENCE_MS, interval: 500 });
      const access = await shown('access', 'text=owners in the hidden layer');
      expect(access.match(/\bready\b/g)).toHaveLength(3);
      expect(access).toContain('all entities, masked');
      expect(complaints).toEqual([]);
    },
    LONG_MS,
  );
});
