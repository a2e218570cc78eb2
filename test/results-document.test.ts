// docs/results.md and README state what experiments/*/expected.json and config.json say: nothing typed by hand, nothing stale.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DATASETS } from '../src/reproduce/experiment.ts';
import { readConfig, readExpected } from '../src/reproduce/experiment-files.ts';
import { EXPERIMENT_NAMES, isScoreTable } from '../src/reproduce/run-experiment.ts';

const text = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const results = text('docs/results.md');
const section = (anchor: string) =>
  results.split(/\n(?=<a id=")/).find((part) => part.startsWith(`<a id="${anchor}">`));

interface RemarkedConfig {
  rows: { id: string; name: string }[];
  remarks?: Record<string, (string | { rows: string[]; text: string })[]>;
}

/** Cells of the lines of a part that begin with a row's id. */
const linesOf = (part: string, row: string): string[][] =>
  part
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells[1] === row);

const recorded = EXPERIMENT_NAMES.filter(isScoreTable).flatMap((name) =>
  DATASETS.flatMap((dataset) => {
    const ours = readExpected(name).ours[dataset];
    return ours ? [{ name, dataset, ...ours }] : [];
  }),
);

describe('docs/results.md', () => {
  it.each(recorded)(
    '$name on $dataset states the figures on record, row by row',
    ({ name, dataset, values, seeds }) => {
      const part = section(`${name}-${dataset}`) as string;
      expect(part).toContain(`${seeds} seeds, `);
      const rows = Object.keys(values).flatMap((key) => (key.endsWith('/f1') ? [key.slice(0, -'/f1'.length)] : []));
      for (const row of rows) {
        const [scores] = linesOf(part, row);
        for (const score of ['f1', 'auc']) {
          const mean = values[`${row}/${score}`];
          const shown = mean === null ? '–' : mean.toFixed(3);
          expect(scores.join(' '), `${row} ${score}`).toContain(shown);
        }
      }
      for (const [key, value] of Object.entries(values)) {
        const [, row] = /^(.*)\/f1 with \d+ % absent$/.exec(key) ?? [];
        if (row === undefined) continue;
        const [, absence] = linesOf(part, row);
        expect(absence.join(' '), key).toContain((value ?? Number.NaN).toFixed(3));
      }
      const { rows: configured } = readConfig<RemarkedConfig>(name);
      const stated = configured.filter(({ id }) => linesOf(part, id).length > 0).map(({ id }) => id);
      expect(stated).toEqual(rows);
    },
  );

  it.each(recorded)('$name on $dataset has the remarks of its config', ({ name, dataset, values }) => {
    const part = section(`${name}-${dataset}`) as string;
    const { remarks = {} } = readConfig<RemarkedConfig>(name);
    for (const remark of [...(remarks.all ?? []), ...(remarks[dataset] ?? [])]) {
      const { rows, text: wanted } = typeof remark === 'string' ? { rows: [], text: remark } : remark;
      if (rows.every((row) => `${row}/f1` in values)) expect(part).toContain(`- ${wanted}\n`);
    }
  });
});

describe('README.md', () => {
  it('states the figures of Table 2 on METR-LA that are on record', () => {
    const values = readExpected('table-2').ours['metr-la']?.values ?? {};
    const short = (number: number | null) => (number ?? Number.NaN).toFixed(3).slice(1);
    const stated = (row: string, score: string) => {
      const deviation = values[`${row}/${score}Deviation`];
      return deviation ? `${short(values[`${row}/${score}`])} ± ${short(deviation)}` : short(values[`${row}/${score}`]);
    };
    const readme = text('README.md');
    for (const row of ['B', 'C', 'D', 'E', 'G', 'H', 'K']) {
      const [[, , , f1, , auc]] = linesOf(readme, row);
      expect(f1, row).toBe(stated(row, 'f1'));
      if (auc !== '') expect(auc, row).toBe(stated(row, 'auc'));
    }
  });
});
