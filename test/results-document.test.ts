// docs/results and README state what experiments/*/expected.json and config.json say: nothing typed by hand, nothing stale.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DATASETS, type DatasetName } from '../src/reproduce/experiment.ts';
import { readConfig, readExpected } from '../src/reproduce/experiment-files.ts';
import { type Remarks, remarksOn } from '../src/reproduce/remarks.ts';
import { machineFacts } from '../src/reproduce/report/machine-facts.ts';
import { plain } from '../src/reproduce/report/markdown.ts';
import { agreementText, formatNumber } from '../src/reproduce/report/report-cells.ts';
import { READING_RULES } from '../src/reproduce/report/report-markdown.ts';
import { RESULTS_PAGES, type ResultsPageName, renderPage } from '../src/reproduce/report/results-page.ts';
import { EXPERIMENT_NAMES, type ExperimentName, isScoreTable, needsData } from '../src/reproduce/run-experiment.ts';
import { comparableFigures } from '../src/reproduce/summary/recorded-figures.ts';
import { renderSummary } from '../src/reproduce/summary/results-summary.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const text = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The section of an experiment, on the page of its data set. */
function sectionOf(name: ExperimentName, dataset: DatasetName): string {
  const [page, anchor] = needsData(name) ? [dataset, `${name}-${dataset}`] : ['theory', name];
  const parts = text(`docs/results/${page}.md`).split(/\n(?=<a id=")/);
  return parts.find((part) => part.startsWith(`<a id="${anchor}">`)) ?? '';
}

interface RemarkedConfig {
  title: string;
  rows: { id: string; name: string }[];
  remarks?: Remarks;
}

/** Cells of the lines of a part that begin with a row's id. */
const linesOf = (part: string, row: string): string[][] =>
  part
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells[1] === row);

const recorded = EXPERIMENT_NAMES.flatMap((name) =>
  DATASETS.flatMap((dataset) => {
    const ours = readExpected(name).ours[dataset];
    return ours ? [{ name, dataset, ...ours }] : [];
  }),
);
const scored = recorded.filter(({ name }) => isScoreTable(name));

/** How pages write the figures of experiments that are no tables of scores: keys that end in this → text. */
const SHOWN: [RegExp, (value: number) => string][] = [
  [/missing windows|zero readings|unanimous share/, (value) => `${(100 * value).toFixed(1)} %`],
  [/(owners|samples|variates|classes|series length|class \S+)$/, (value) => String(value)],
  [/\/(mean|last|every|most) recovered$/, (value) => value.toFixed(3)],
  [/\/mean error$/, (value) => value.toFixed(2)],
  [/\/(f1|auc|calibration error( by chance)?|f1 with \d+ % absent)$/, (value) => value.toFixed(3)],
  [
    /\/(f1|auc|calibration error( by chance)?|f1 with \d+ % absent)Deviation$/,
    (value) => (value > 0 ? `± ${value.toFixed(3)}` : ''),
  ],
  [/over ICDF .*(seconds|MB)(Deviation)?$/, (value) => value.toFixed(2)],
  [/seconds$/, (value) => value.toFixed(2)],
  [/MB$/, (value) => value.toFixed(0)],
  [/(mean|median|largest possible|sharp|permutations)$/, (value) => value.toFixed(3)],
  [/^CDF.*distance$/, (value) => value.toFixed(5)],
  [/once in 1000$/, (value) => value.toFixed(5)],
  [/worst simulation in standard errors$/, (value) => value.toFixed(1)],
  [/^sign .*Theorem 4 says$/, () => '693 of 693'],
  [/^sign\/points$/, (value) => `${value} of ${value} points`],
  [/^bias \S+ τ=\S+ θ=\S+\/(exact|simulated)$/, (value) => formatNumber(Math.abs(value) < 1e-15 ? 0 : value, 6)],
  [/expansion off by$/, (value) => value.toFixed(4)],
  [/ICDF ahead from θ$/, (value) => `θ = ${value.toPrecision(3)}`],
  [/\/σ$/, (value) => value.toFixed(3)],
  [/largest τ$/, (value) => value.toFixed(3)],
  [/^worst bias .*exact$/, (value) => value.toFixed(4)],
  [/(σ₂|slope over 2·log σ₂)$/, (value) => value.toFixed(4)],
  [/error after \d+ sweeps$/, (value) => value.toExponential(1)],
];

describe('docs/results', () => {
  it('has every experiment that is on record, and no other', () => {
    const pages = readdirSync(join(ROOT, 'docs/results')).filter((file) => file !== 'README.md');
    const anchors = pages.flatMap((page) => [...text(`docs/results/${page}`).matchAll(/^<a id="(.*)"><\/a>$/gm)]);
    const wanted = recorded.map(({ name, dataset }) => (needsData(name) ? `${name}-${dataset}` : name));
    expect(anchors.map(([, anchor]) => anchor).sort()).toEqual(wanted.sort());
  });

  it.each(Object.keys(RESULTS_PAGES) as ResultsPageName[])('begins the page of %s as it is written today', (name) => {
    const [title, about, , , rules] = text(`docs/results/${name}.md`).split('\n\n');
    const [wantedTitle, wantedAbout] = renderPage(name, [], machineFacts()).split('\n\n');
    expect([title, about, rules]).toEqual([wantedTitle, wantedAbout, READING_RULES]);
  });

  it.each(scored)('$name on $dataset states the figures on record, row by row', ({ name, dataset, values, seeds }) => {
    const part = sectionOf(name, dataset);
    expect(part).toContain(`${seeds} seeds, `);
    const rows = Object.keys(values).flatMap((key) => (key.endsWith('/f1') ? [key.slice(0, -'/f1'.length)] : []));
    for (const row of rows) {
      const [scores] = linesOf(part, row);
      for (const score of ['f1', 'auc']) {
        const mean = values[`${row}/${score}`];
        const deviation = values[`${row}/${score}Deviation`];
        const shown = mean === null ? '–' : mean.toFixed(3);
        expect(scores, `${row} ${score}`).toContain(deviation ? `${shown} ± ${deviation.toFixed(3)}` : shown);
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
  });

  it.each(recorded.filter(({ name }) => !isScoreTable(name)))(
    '$name on $dataset states the figures on record',
    ({ name, dataset, values }) => {
      const part = sectionOf(name, dataset);
      for (const [key, value] of Object.entries(values)) {
        const [, show] = SHOWN.find(([pattern]) => pattern.test(key)) ?? [];
        expect(show, key).toBeDefined();
        expect(part, key).toContain(show?.(value ?? Number.NaN));
      }
    },
  );

  it.each(recorded)('$name on $dataset has the title and the remarks of its config', ({ name, dataset, values }) => {
    const part = sectionOf(name, dataset);
    const { title, remarks = {} } = readConfig<RemarkedConfig>(name);
    expect(part).toContain(`## ${title}`);
    const all = Array.isArray(remarks) ? { all: remarks } : remarks;
    for (const remark of remarksOn(all, dataset, (row) => `${row}/f1` in values)) {
      expect(part).toContain(`- ${plain(remark)}\n`);
    }
  });

  it.each(recorded)('$name on $dataset counts in its overview the figures that agree', ({ name, dataset }) => {
    const [page, anchor] = needsData(name) ? [dataset, `${name}-${dataset}`] : ['theory', name];
    const own = comparableFigures().filter(
      (figure) => figure.experiment === name && (figure.dataset ?? DATASETS[0]) === dataset,
    );
    const within = own.filter((figure) => figure.text.verdict === 'within').length;
    const line = text(`docs/results/${page}.md`)
      .split('\n')
      .find((each) => each.includes(`](#${anchor})`));
    expect(line?.split('|')[2].trim()).toBe(agreementText({ judged: own.length, within }));
  });

  it('has in front the summary of these figures; npm run docs writes it', () => {
    expect(text('docs/results/README.md')).toBe(renderSummary());
  });
});

describe('differences from the paper', () => {
  const beyond = comparableFigures().filter((figure) => figure.text.verdict === 'beyond');

  it('have a cause each', () => {
    expect(beyond.length).toBeGreaterThan(0);
    expect(beyond.filter(({ cause }) => cause === undefined)).toEqual([]);
  });

  it('are there where a remark claims to explain one', () => {
    const explained = EXPERIMENT_NAMES.flatMap((name) => {
      const { remarks = {} } = readConfig<RemarkedConfig>(name);
      const texts = Object.values(remarks).flat();
      const keys = texts.flatMap((remark) => (typeof remark === 'string' ? [] : (remark.explains ?? [])));
      return keys.map((key) => `${name} ${key}`);
    });
    const found = new Set(beyond.map(({ experiment, key }) => `${experiment} ${key}`));
    expect(explained.filter((each) => !found.has(each))).toEqual([]);
  });
});

describe('links to results', () => {
  const documents = [
    ...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join('docs', file)),
  ];

  it('lead to pages and sections that are there', () => {
    const dead = documents.flatMap((document) =>
      [...text(document).matchAll(/\]\(([^)\s:#]*)(?:#([^)\s]+))?\)/g)].flatMap(([link, file, anchor]) => {
        const target = file === '' ? document : join(dirname(document), file);
        if (!target.startsWith(join('docs', 'results'))) return [];
        if (!existsSync(join(ROOT, target))) return [`${document}: ${link}`];
        return anchor && !text(target).includes(`<a id="${anchor}"></a>`) ? [`${document}: ${link}`] : [];
      }),
    );
    expect(dead).toEqual([]);
  });
});

describe('README.md', () => {
  const readme = text('README.md').replaceAll(/\s+/g, ' ');

  it('states the figures of row K on METR-LA that are on record', () => {
    const values = readExpected('table-2').ours['metr-la']?.values ?? {};
    const short = (key: string) => (values[key] ?? Number.NaN).toFixed(3).slice(1);
    const stated = (score: string) => `${short(`K/${score}`)} ± ${short(`K/${score}Deviation`)}`;
    expect(readme).toContain(`F1 ${stated('f1')} and ROC AUC ${stated('auc')} on METR-LA`);
  });

  it('states how many figures agree with the paper as the summary counts them', () => {
    const [, agree, all] = /\*\*(\d+) of (\d+) comparable figures agree/.exec(renderSummary()) ?? [];
    expect(readme).toContain(`${agree} of ${all} comparable figures agree`);
    expect(readme).toContain(`the other ${Number(all) - Number(agree)} stand in a table`);
  });

  it('states the milliseconds of a step that docs/speed.md has', () => {
    const [, ours, torch, tuned] =
      /step, ICDF, graph per example\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)/.exec(text('docs/speed.md')) ?? [];
    expect(readme).toContain(`${Number(ours).toFixed(1)} ms on 2 cores beside ${torch} ms`);
    expect(readme).toContain(`and ${Number(tuned)} ms tuned`);
  });
});
