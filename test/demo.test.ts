// The whole story, small: `f3 demo` with four simulated owners, by the program itself.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DemoResult } from '../src/cli/demo/demo-result.ts';
import { listMemberships } from '../src/exchange/identity/home.ts';
import { runF3 } from './cli/run-f3.ts';
import { childrenOf, isAlive, startDemo } from './support/started-demo.ts';
import { suiteDirectory, temporaryDirectory } from './support/temporary-directory.ts';

type Printed = DemoResult & { report: string; kept?: string };

/** What the dashboard of a demo showed, and how the demo ended. */
interface Seen {
  page: string;
  live: string;
  exit: number;
}

const SMALL = ['--owners', '4', '--samples', '120', '--seed', '3'];
const MINUTES = 900_000;

async function runDemo(temporary: string, ...args: string[]): Promise<Printed> {
  const demo = startDemo(temporary, ...SMALL, '--json', ...args);
  const [code] = await once(demo, 'close');
  expect(code, demo.said().err).toBe(0);
  return JSON.parse(demo.said().out);
}

/** Opens the dashboard that the demo ends with, looks at the page and at a prediction, and ends it with Ctrl-C. */
async function runDemoAndLook(temporary: string, ...args: string[]): Promise<Printed & { seen: Seen }> {
  const demo = startDemo(temporary, ...SMALL, '--json', ...args);
  const closed = once(demo, 'close');
  const link = () => /(http:\/\/[^/]+)\/#code=([\w-]+)\s/.exec(demo.said().err);
  await Promise.race([
    vi.waitUntil(link, { timeout: MINUTES, interval: 200 }),
    closed.then(() => expect.fail(`the demo must stay, got ${demo.said().err}`)),
  ]);
  const [, origin, code] = link() as RegExpExecArray;
  const page = await (await fetch(origin)).text();
  const headers = { 'content-type': 'application/json', 'x-f3-session': '1', origin };
  const opened = await fetch(`${origin}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify({ code }) });
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0];
  const stream = await fetch(`${origin}/v1/federations/grid/live/events`, { headers: { cookie } });
  let live = '';
  for await (const chunk of stream.body as ReadableStream<Uint8Array>) {
    live += Buffer.from(chunk).toString();
    if (/"predictions".*\n\n/s.test(live)) break;
  }
  demo.kill('SIGINT');
  const [exit] = await closed;
  return { ...JSON.parse(demo.said().out), seen: { page, live, exit } };
}

describe('f3 demo', () => {
  const dir = suiteDirectory();
  let first: Printed;
  let second: Printed & { seen: Seen };

  beforeAll(async () => {
    [first, second] = await Promise.all([
      runDemo(join(dir, 'kept'), '--out', join(dir, 'first'), '--keep'),
      runDemoAndLook(join(dir, 'cleared'), '--out', join(dir, 'second'), '--stay', '--no-open'),
    ]);
  }, MINUTES);

  it('runs every owner as a process of its own that ended before training began', () => {
    const { owners, coordinator, demo, trainingStarted } = first.processes;
    expect(owners.map(({ owner }) => owner)).toEqual(['pmu-0', 'pmu-1', 'pmu-2', 'pmu-3']);
    const pids = [demo, coordinator, ...owners.map(({ pid }) => pid)];
    expect(new Set(pids).size).toBe(6);
    for (const { started, ended } of owners) {
      expect(ended).toBeGreaterThan(started);
      expect(ended).toBeLessThanOrEqual(trainingStarted);
    }
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('gives every owner a key of its own, and takes one bundle of each', () => {
    const { owners } = first.processes;
    expect(new Set(owners.map(({ keyId }) => keyId)).size).toBe(4);
    const memberships = owners.map(({ owner }) => listMemberships(join(first.kept as string, 'homes', owner)));
    expect(memberships.map((all) => all.map(({ owner }) => owner))).toEqual(owners.map(({ owner }) => [owner]));
    expect(owners.map(({ version }) => version)).toEqual([1, 1, 1, 1]);
  });

  it('scores votes, mean pooling and F³, the latter with owners absent too', () => {
    expect(first).toMatchObject({ simulated: true, owners: 4, samples: 120, tested: 24, fits: 3 });
    expect(first.rows.map(({ model, someAbsent }) => [model, someAbsent])).toEqual([
      ['majority vote', false],
      ['best owner', false],
      ['mean pooling', false],
      ['F³ with a graph', false],
      ['F³', false],
      ['mean pooling', true],
      ['F³ with a graph', true],
      ['F³', true],
    ]);
    for (const { f1, accuracy } of first.rows) {
      for (const { mean } of [f1, accuracy]) {
        expect(mean).toBeGreaterThan(0);
        expect(mean).toBeLessThanOrEqual(1);
      }
    }
  });

  it('says of each difference what is chance, in the table, in words and on the page', () => {
    expect(first.comparisons).toHaveLength(3);
    const [, absence] = first.comparisons;
    const of = (someAbsent: boolean) => first.rows.find((row) => row.model === 'F³' && row.someAbsent === someAbsent);
    expect(absence.difference).toBeCloseTo((of(true)?.f1.mean ?? 0) - (of(false)?.f1.mean ?? 0), 9);
    expect(absence.low).toBeLessThanOrEqual(absence.difference);
    expect(absence.high).toBeGreaterThanOrEqual(absence.difference);
    const page = readFileSync(fileURLToPath(first.report), 'utf8');
    expect(page).toContain('What is chance and what is not');
    expect(page).toMatch(/With 1 of 4 owners absent the macro F1 of F³ is 0\.\d\d\d (less|more); this /);
  });

  it('says what the learned graph has to do with the grid, and draws it there', () => {
    const { strongest, pairs, betweenFits, withNearness, plan } = first.graph;
    expect(pairs).toBe(6);
    expect(strongest).toHaveLength(6);
    const probabilities = strongest.map(({ probability }) => probability);
    expect(probabilities).toEqual(probabilities.toSorted((a, b) => b - a));
    expect(plan.owners.map(({ owner }) => owner)).toEqual(['pmu-0', 'pmu-1', 'pmu-2', 'pmu-3']);
    for (const value of [betweenFits, withNearness.correlation]) expect(Math.abs(value)).toBeLessThanOrEqual(1);
    const page = readFileSync(fileURLToPath(first.report), 'utf8');
    expect(page).toContain('The learned graph: over 6 pairs of owners');
    expect(page).toContain('The 6 strongest of 6 edges, on the simulated grid');
  });

  it('answers live without the owners that stayed away, and says who was present', () => {
    const { live, absent, classes } = first;
    expect(absent).toHaveLength(1);
    expect(live).toHaveLength(8);
    for (const { present, class: answer, probability } of live) {
      expect(present.length).toBeGreaterThan(0);
      expect(present).not.toContain(absent[0]);
      expect(classes).toContain(answer);
      // The class that is best for F1 is named, which may be a less likely one.
      expect(probability).toBeGreaterThan(0);
    }
  });

  it('gives the same scores and answers for the same seed', () => {
    const sameness = ({ rows, comparisons, graph, live, absent, curves }: Printed) => ({
      rows,
      comparisons,
      graph,
      live,
      absent,
      curves,
    });
    expect(sameness(second)).toEqual(sameness(first));
  });

  it('stays with its dashboard where it is asked to, predicts on, and ends well at Ctrl-C', () => {
    const { page, live, exit } = second.seen;
    expect(page).toMatch(/<title>[^<]*f3/i);
    expect(live).toMatch(/"source":"batch"/);
    expect(exit).toBe(0);
  });

  it('leaves nothing behind but the report, or what it was asked to keep', () => {
    expect(readdirSync(join(dir, 'cleared'))).toEqual([]);
    expect(readdirSync(first.kept as string)).toEqual(
      expect.arrayContaining(['bundles', 'coordinator', 'data', 'homes']),
    );
    expect(readdirSync(join(dir, 'second'))).toContain('report.html');
  });

  it('writes a page that stands alone and says that its data is simulated', () => {
    const page = readFileSync(fileURLToPath(first.report), 'utf8');
    expect(page).toContain('A federation of 4 simulated owners');
    expect(page).toContain('simulated data');
    expect(page).not.toMatch(/NaN|undefined|reproduced|<script|<link|src=/);
  });

  it(
    'ends all processes and removes its folder on Ctrl-C',
    async () => {
      const [temporary, out] = [temporaryDirectory(), join(temporaryDirectory(), 'report')];
      const demo = startDemo(temporary, ...SMALL, '--out', out);
      onTestFinished(() => void demo.kill('SIGKILL'));
      let isTold = false; // a second Ctrl-C would end it at once
      demo.stderr?.on('data', () => {
        if (isTold || !demo.said().err.includes('3/6')) return;
        isTold = true;
        setTimeout(() => demo.kill('SIGINT'), 200);
      });
      let running: number[] = [];
      const watch = setInterval(() => {
        running = [...new Set([...running, ...childrenOf(demo.pid as number).map(({ pid }) => pid)])];
      }, 100);
      const [code] = await once(demo, 'close');
      clearInterval(watch);
      expect(code, demo.said().err).toBe(130);
      expect(demo.said().err).toContain('f3: interrupted');
      expect(running.length).toBeGreaterThan(0);
      expect(running.filter(isAlive)).toEqual([]);
      expect(readdirSync(temporary)).toEqual([]);
    },
    MINUTES,
  );

  it(
    'says in one line which process failed, and ends the others',
    async () => {
      const [temporary, out] = [temporaryDirectory(), join(temporaryDirectory(), 'report')];
      const demo = startDemo(temporary, ...SMALL, '--out', out);
      onTestFinished(() => void demo.kill('SIGKILL'));
      let running: number[] = [];
      demo.stderr?.on('data', () => {
        if (running.length > 0 || !demo.said().err.includes('2/6')) return;
        const children = childrenOf(demo.pid as number);
        running = children.map(({ pid }) => pid);
        process.kill(children.find(({ command }) => command.includes(' serve '))?.pid as number, 'SIGKILL');
      });
      const [code] = await once(demo, 'close');
      expect(code).toBe(1);
      const { err } = demo.said();
      expect(err.trimEnd().split('\n').at(-1)).toBe(
        'f3: coordinator: its process must end well, got signal SIGKILL [F3_PROCESS]',
      );
      expect(err).not.toContain('    at ');
      expect(running.filter(isAlive)).toEqual([]);
      expect(readdirSync(temporary)).toEqual([]);
    },
    MINUTES,
  );

  it('refuses a number of owners it cannot use, with exit code 2 and no stack trace', () => {
    const { status, stderr } = runF3('demo', '--owners', 'many');
    expect(status).toBe(2);
    expect(stderr).not.toContain('    at ');
  });

  it('refuses before all work to replace a folder that is no report', () => {
    const { status, stderr } = runF3('demo', '--out', dir);
    expect(status).toBe(2);
    expect(stderr).toContain('F3_OUTPUT');
    expect(stderr).not.toContain('1/6');
  });
});
