// `f3 demo --on-shares`, small, by the program itself: entities in processes, and what anybody could have read of the embeddings.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { DemoReader } from '../src/cli/demo/demo-readers.ts';
import type { DemoSharesResult } from '../src/cli/demo/demo-shares-result.ts';
import { OPENINGS, type OpeningName } from '../src/shares/ledger.ts';
import { childrenOf, isAlive, startDemo } from './support/started-demo.ts';
import { suiteDirectory, temporaryDirectory } from './support/temporary-directory.ts';

const SMALL = ['--on-shares', '--owners', '4', '--samples', '100', '--seed', '3'];
const MINUTES = 900_000;

describe('f3 demo --on-shares', () => {
  const dir = suiteDirectory();
  const temporary = join(dir, 'temporary');
  let played: DemoSharesResult & { report: string };
  const readers = (matches: (reader: DemoReader) => boolean) => played.reading.readers.filter(matches);

  beforeAll(async () => {
    const demo = startDemo(temporary, ...SMALL, '--no-open', '--json', '--out', join(dir, 'report'));
    const [code] = await once(demo, 'close');
    expect(code, demo.said().err).toBe(0);
    played = JSON.parse(demo.said().out);
  }, MINUTES);

  it('runs entities, coordinator and owners as processes of their own, and leaves none of them nor their files', () => {
    const { demo, coordinator, entities, owners, trainingStarted } = played.processes;
    const pids = [demo, coordinator, ...entities.map(({ pid }) => pid), ...owners.map(({ pid }) => pid)];
    expect(new Set(pids).size).toBe(2 + 3 + 4);
    expect(owners.filter(({ ended }) => ended > trainingStarted)).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('predicts on shares what the same model says in the clear, and with owners absent', () => {
    const of = (model: string, someAbsent = false) =>
      played.rows.find((row) => row.model === model && row.someAbsent === someAbsent);
    expect(played.absent).toHaveLength(1);
    // Twenty samples: fixed point may decide a few that lie near a border, or which of two epochs was the better one.
    const [clear, shared] = [of('the same model in the clear'), of('F³ on shares')];
    expect(Math.abs((clear?.accuracy.mean ?? 0) - (shared?.accuracy.mean ?? 1))).toBeLessThanOrEqual(0.25);
    expect(of('F³ on shares', true)?.accuracy.mean).toBeGreaterThan(0);
    expect(played.live.length).toBeGreaterThan(0);
  });

  it('finds embeddings readable by two entities together and by nobody else', () => {
    const { numbers } = played.reading;
    expect(numbers).toBeGreaterThan(1000);
    const entities = ({ parties }: DemoReader) => parties.filter((party) => party.startsWith('entity ')).length;
    expect(readers((reader) => reader.parties.length === 1)).toHaveLength(5);
    expect(readers((reader) => entities(reader) === 2).map(({ read }) => read)).toEqual([numbers, numbers, numbers]);
    expect(readers((reader) => entities(reader) < 2 && reader.read > 0)).toEqual([]);
    expect(readers((reader) => entities(reader) === 1)).toHaveLength(9);
  });

  it('shows the ledger that the entities kept, with nothing opened that is not listed', () => {
    const { ledger } = played;
    expect(ledger.map(({ what }) => what)).toContain('logits');
    for (const { what, to, count, maskBits } of ledger) {
      expect(OPENINGS[what as OpeningName].to).toBe(to);
      expect(count).toBeGreaterThan(0);
      if (to === 'entities') expect(maskBits).toBeGreaterThanOrEqual(40);
    }
    const page = readFileSync(fileURLToPath(played.report), 'utf8');
    expect(page).toContain('Who could have read what');
    expect(page).toContain('ALL of 4 owners');
    expect(page).not.toMatch(/NaN|undefined|<script/);
  });

  it(
    'ends all processes and removes its folder on Ctrl-C',
    async () => {
      const own = temporaryDirectory();
      const demo = startDemo(own, ...SMALL, '--out', join(temporaryDirectory(), 'report'));
      onTestFinished(() => void demo.kill('SIGKILL'));
      let running: number[] = [];
      demo.stderr?.on('data', () => {
        if (running.length > 0 || !demo.said().err.includes('2/7')) return;
        running = childrenOf(demo.pid as number).map(({ pid }) => pid);
        demo.kill('SIGINT');
      });
      const [code] = await once(demo, 'close');
      expect(code, demo.said().err).toBe(130);
      expect(running.length).toBeGreaterThanOrEqual(4);
      expect(running.filter(isAlive)).toEqual([]);
      expect(readdirSync(own)).toEqual([]);
    },
    MINUTES,
  );
});
