import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleFacts, sampleResult, simulatedResult } from '../../../test/support/sample-results.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { checkReportTarget, writeReport } from './write-report.ts';

const results = [sampleResult(), simulatedResult()];
const FILES = ['report.html', 'report.md', 'results.json', 'scores-2.svg', 'scores.svg'];

describe('writeReport', () => {
  it('writes the page, Markdown, JSON and every figure, and leaves nothing else behind', async () => {
    const parent = temporaryDirectory();
    const names = await writeReport(join(parent, 'deep', 'report'), results, sampleFacts);
    expect(names.toSorted()).toEqual(FILES);
    expect(readdirSync(join(parent, 'deep', 'report')).toSorted()).toEqual(FILES);
    expect(readdirSync(join(parent, 'deep'))).toEqual(['report']);
  });

  it('writes JSON that reads back, with null for what is no number', async () => {
    const dir = join(temporaryDirectory(), 'report');
    await writeReport(dir, results, sampleFacts);
    const read = JSON.parse(readFileSync(join(dir, 'results.json'), 'utf8'));
    expect(read).toMatchObject({ format: 'f3-report', version: 1, facts: { created: '2024-05-06T07:08:09.000Z' } });
    expect(read.results[1]).toMatchObject({ simulated: true, values: { 'E/f1': 0.776 } });
    expect(read.results[0].tables[0].rows[2][1].mean).toBeNull();
  });

  it('says in a figure’s file that its data is simulated', async () => {
    const dir = join(temporaryDirectory(), 'report');
    await writeReport(dir, results, sampleFacts);
    expect(readFileSync(join(dir, 'scores.svg'), 'utf8')).not.toContain('simulated');
    expect(readFileSync(join(dir, 'scores-2.svg'), 'utf8')).toContain('simulated data');
  });

  it('keeps names of figures inside the folder', async () => {
    const dir = join(temporaryDirectory(), 'report');
    const figures = [{ ...sampleResult().figures[0], name: '../../Über all' }];
    expect(await writeReport(dir, [sampleResult({ figures })], sampleFacts)).toContain('ber-all.svg');
  });

  it('replaces an older report whole, and fills an empty folder', async () => {
    const dir = join(temporaryDirectory(), 'report');
    mkdirSync(dir);
    await writeReport(dir, results, sampleFacts);
    await writeReport(dir, [sampleResult({ figures: [] })], sampleFacts);
    expect(readdirSync(dir).toSorted()).toEqual(['report.html', 'report.md', 'results.json']);
  });

  it('touches no folder that is not a report', async () => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, 'thesis.tex'), 'years of work');
    const rule = 'only a report or an empty directory is replaced, got a directory without results.json';
    await expect(writeReport(dir, results, sampleFacts)).rejects.toThrow(rule);
    writeFileSync(join(dir, 'results.json'), '{"format":"mine"}');
    expect(() => checkReportTarget(dir)).toThrow('results.json must be of format f3-report, got mine');
    writeFileSync(join(dir, 'results.json'), '[1, 2');
    expect(() => checkReportTarget(dir)).toThrow('got none');
    expect(readFileSync(join(dir, 'thesis.tex'), 'utf8')).toBe('years of work');
  });

  it('refuses a path through a file before any work', () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    expect(() => checkReportTarget(join(file, 'report'))).toThrow(expect.objectContaining({ code: 'F3_OUTPUT' }));
    expect(() => checkReportTarget(file)).toThrow(expect.objectContaining({ code: 'F3_OUTPUT' }));
  });
});
