import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleFacts, sampleResult, simulatedResult } from '../../../test/support/sample-results.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { renderSummary } from '../summary/results-summary.ts';
import { checkResultsFolder, writeResultsPages, writeResultsSummary } from './results-folder.ts';

const theory = () => {
  const { dataset: _, ...result } = sampleResult({ name: 'theory', title: 'Theory' });
  return result;
};

describe('the folder of results', () => {
  it('has a page for each data set that ran, and one for theory', () => {
    const dir = join(temporaryDirectory(), 'deep', 'results');
    const written = writeResultsPages(dir, [theory(), simulatedResult(), sampleResult()], sampleFacts);
    const files = ['metr-la.md', 'pmu-b.md', 'theory.md'];
    expect(written).toEqual(files.map((file) => join(dir, file)));
    expect(readdirSync(dir)).toEqual(files);
    expect(readFileSync(join(dir, 'pmu-b.md'), 'utf8')).toContain('<a id="table-2-pmu-b"></a>');
    expect(readFileSync(join(dir, 'theory.md'), 'utf8')).toContain('<a id="theory"></a>');
  });

  it('keeps what a later run does not run again', () => {
    const dir = temporaryDirectory();
    writeResultsPages(dir, [sampleResult(), simulatedResult()], sampleFacts);
    const before = readFileSync(join(dir, 'pmu-b.md'), 'utf8');
    writeResultsPages(dir, [sampleResult({ name: 'beyond', title: 'Beyond' })], sampleFacts);
    expect(readFileSync(join(dir, 'pmu-b.md'), 'utf8')).toBe(before);
    const page = readFileSync(join(dir, 'metr-la.md'), 'utf8');
    expect([...page.matchAll(/<a id="(.*?)">/g)].map(([, anchor]) => anchor)).toEqual([
      'table-2-metr-la',
      'beyond-metr-la',
    ]);
  });

  it('has a summary of the figures on record, which may be written again', () => {
    const dir = temporaryDirectory();
    writeResultsSummary(dir);
    checkResultsFolder(dir);
    writeResultsSummary(dir);
    expect(readFileSync(join(dir, 'README.md'), 'utf8')).toBe(renderSummary());
  });

  it.each([
    ['metr-la.md', '# Federated Feature Fusion, reproduced:'],
    ['README.md', '# Results: the paper, reproduced'],
  ])('never overwrites another %s, nor writes anything beside it', (file, mark) => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, file), '# My diary\n');
    const rule = `${file}: must be new, empty or begin with "${mark}", got "# My diary"`;
    expect(() => writeResultsPages(dir, [sampleResult()], sampleFacts)).toThrow(rule);
    expect(readdirSync(dir)).toEqual([file]);
  });

  it('refuses a file in its place before any work', () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'results')]) {
      expect(() => checkResultsFolder(path)).toThrow(expect.objectContaining({ code: 'F3_OUTPUT' }));
    }
    mkdirSync(join(file, '..', 'results'));
    checkResultsFolder(join(file, '..', 'results'));
  });
});
