// A real browser for tests and pictures: the system's Chromium, or the one of the package @sparticuz/chromium where there is none.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/** Where systems keep it; the environment variable `F3_CHROMIUM` names another place. */
const PLACES = [
  process.env.F3_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
/** Containers have no sandbox for root, and pictures are the same everywhere when software draws them. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];
const START_MS = 120_000;
/** Where the packaged one is unpacked, and kept between runs. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/f3/', import.meta.url));

export interface OpenedBrowser {
  browser?: Browser;
  /** Why there is none, '' if there is one. */
  missing: string;
}

export async function openBrowser(): Promise<OpenedBrowser> {
  const failures: string[] = [];
  const places = PLACES.filter((place): place is string => place !== undefined && existsSync(place));
  for (const find of [...places.map((place) => async () => place), packagedChromium]) {
    try {
      const executablePath = await find();
      return { browser: await chromium.launch({ executablePath, args: ARGUMENTS, timeout: START_MS }), missing: '' };
    } catch (error) {
      failures.push((error as Error).message.split('\n')[0]);
    }
  }
  return { missing: `no browser starts here: ${failures.join('; ')}` };
}

/**
 * Unpacks it beside its place and renames the folder, so that nobody starts a half of it. The package itself writes into the folder
 * of temporary files, and takes for whole whatever another process has begun to write there.
 */
async function packagedChromium(): Promise<string> {
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8')) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true });
    const beside = mkdtempSync(join(CACHE, 'making-'));
    try {
      const { default: packaged } = await import('@sparticuz/chromium');
      await withTemporaryFiles(beside, () => packaged.executablePath());
      renameSync(beside, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error; // otherwise another process was faster
    } finally {
      rmSync(beside, { recursive: true, force: true });
    }
  }
  return join(folder, 'chromium');
}

/** Node asks the environment for the folder of temporary files each time. */
async function withTemporaryFiles(dir: string, work: () => Promise<unknown>): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = dir;
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
