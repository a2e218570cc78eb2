// A real browser for tests and pictures: the system's Chromium, or the one of the package @sparticuz/chromium where there is none.
import { existsSync } from 'node:fs';
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

async function packagedChromium(): Promise<string> {
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
}
