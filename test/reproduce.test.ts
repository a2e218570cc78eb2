// Every experiment of the paper in small, from a traffic file to the report.
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExperimentContext } from '../src/reproduce/experiment.ts';
import { defaultSeeds } from '../src/reproduce/experiment-files.ts';
import { agreement } from '../src/reproduce/report/report-cells.ts';
import { runExperiment } from '../src/reproduce/run-experiment.ts';
import { renderSummary } from '../src/reproduce/summary/results-summary.ts';
import { runF3 } from './cli/run-f3.ts';
import { suiteDirectory, temporaryDirectory } from './support/temporary-directory.ts';
import { toyTraffic } from './support/toy-traffic.ts';

describe('f3 reproduce', () => {
  const dir = suiteDirectory();
  const [data, cache] = [dir, join(dir, 'cache')];
  const stages = new Set<string>();
  const context: ExperimentContext = {
    data,
    cache,
    seeds: 2,
    threads: 1,
    progress: (stage) => stages.add(stage.replace(/ \(.*/, '')),
  };
  beforeAll(() => toyTraffic(dir));

  it('table-2: every row, with the paper beside it and what was sent', async () => {
    const { tables, figures, values, remarks } = await runExperiment('table-2', 'metr-la', context);
    const [scores, work] = tables;
    expect(scores.rows.map(([id]) => id).join('')).toBe('ABCDEFGHJKLM');
    const kSays = scores.rows[9][2] as { mean: number; paper: number; deviation: number };
    expect(kSays).toMatchObject({ paper: 0.83, mean: expect.any(Number), deviation: expect.any(Number) });
    expect(values['K/auc']).toBeGreaterThan(0.8);
    const sent = (row: number) => (work.rows[row][6] as { mean: number }).mean;
    expect(sent(9)).toBe(12);
    expect(sent(10)).toBeGreaterThan(1000);
    expect(figures.map(({ name }) => name)).toEqual([
      'table-2-metr-la-scores',
      'table-2-metr-la-curves',
      'table-2-metr-la-graph',
    ]);
    expect(remarks.join()).toContain('the split is random');
    // Twelve owners under the name of METR-LA: the paper's figures are shown, nothing is judged by them.
    expect(remarks.join()).toContain('this is another data set');
    expect(agreement({ tables })).toEqual({ judged: 0, within: 0 });
  });

  it('tables 3 and 5 use the same owners, and runs that are finished are not run again', async () => {
    expect(stages).toContain('training owners');
    stages.clear();
    const three = await runExperiment('table-3', 'metr-la', context);
    expect(three.tables[0].rows).toHaveLength(8);
    expect(stages).not.toContain('training owners');
    const runs = () => readdirSync(join(cache, 'runs')).length;
    const before = runs();
    expect((await runExperiment('table-3', 'metr-la', context)).values).toEqual(three.values);
    expect(runs()).toBe(before);
    const five = await runExperiment('table-5', 'metr-la', context);
    expect(five.values['soft/f1']).toBe(three.values['soft/icdf/f1']);
  });

  it('table-1, the entropy of votes and the learned permutations', async () => {
    const one = await runExperiment('table-1', 'metr-la', context);
    expect(JSON.stringify(one.tables)).toContain('168');
    const entropy = await runExperiment('figure-entropy', 'metr-la', context);
    expect(entropy.figures).toHaveLength(1);
    const alignment = await runExperiment('figure-alignment', 'metr-la', context);
    expect(alignment.figures.map(({ name }) => name)).toContain('figure-alignment-metr-la');
    expect(alignment.values.permutations).toBeGreaterThanOrEqual(0);
  });

  it('beyond the paper: variants with all owners and with some absent, seeds as the config says', async () => {
    const rows = ['K', 'dropout', 'recommended'];
    const { tables, figures, values, configuration } = await runExperiment('beyond', 'metr-la', context, rows);
    const [scores, absence, work] = tables;
    expect(scores.rows).toHaveLength(3);
    expect(absence.columns).toEqual(['row', 'model', '30 % absent', '70 % absent']);
    const at = (row: number, column: number) => (absence.rows[row][column] as { mean: number }).mean;
    for (const row of rows.keys()) expect(at(row, 2)).toBeGreaterThan(0);
    // Ten owners of twelve say more than four.
    expect(at(1, 2)).toBeGreaterThan(at(1, 3));
    expect(Object.keys((configuration as { presets: object }).presets)).toEqual(['paper', 'graph']);
    expect(values['recommended/auc']).toBeGreaterThan(0.8);
    expect(values['dropout/f1 with 30 % absent']).toBe(at(1, 2));
    expect(work.rows).toHaveLength(3);
    expect(figures.map(({ name }) => name)).toEqual(
      ['scores', 'absence', 'curves'].map((kind) => `beyond-metr-la-${kind}`),
    );
    expect([
      defaultSeeds('beyond', 'metr-la'),
      defaultSeeds('beyond', 'pmu-b'),
      defaultSeeds('table-1', 'pmu-b'),
    ]).toEqual([5, 3, 1]);
  });

  it('as a command writes a report and prints it', () => {
    const out = join(dir, 'report');
    const options = ['--data', data, '--cache', cache, '--seeds', '2', '--threads', '1'];
    const pages = join(dir, 'pages');
    const where = ['--out', out, '--markdown', pages];
    const { status, stdout } = runF3('reproduce', 'table-3', ...options, '--rows', 'soft/icdf', ...where);
    expect(status).toBe(0);
    // Without --update nothing is put on record, so there is no summary to write.
    expect(readdirSync(pages)).toEqual(['metr-la.md']);
    expect(readFileSync(join(pages, 'metr-la.md'), 'utf8')).toContain('| soft/icdf | alignment, ICDF |');
    expect(stdout).toContain('alignment, ICDF');
    expect(readdirSync(out)).toEqual(expect.arrayContaining(['report.html', 'report.md', 'results.json']));
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('<svg');
  });

  it('puts figures of other data not on record, and finds what is there under another name of its folder', () => {
    const file = new URL('../experiments/table-1/expected.json', import.meta.url);
    const before = readFileSync(file, 'utf8');
    const inside = relative(process.cwd(), cache);
    const pages = join(dir, 'recorded');
    const options = ['--data', data, '--threads', '1', '--out', join(dir, 'again'), '--markdown', pages];
    const { status, stderr } = runF3('reproduce', 'table-1', ...options, '--cache', inside, '--update');
    expect(status).toBe(0);
    expect(readdirSync(pages)).toEqual(['README.md', 'metr-la.md']);
    expect(readFileSync(join(pages, 'README.md'), 'utf8')).toBe(renderSummary());
    expect(stderr).toContain('table-1, metr-la: not put on record');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(stderr).not.toContain('writing owners');
  });

  it('ends owners in training when it is told to, and keeps those that are finished', async () => {
    const stop = new AbortController();
    const progress: ExperimentContext['progress'] = (stage, done) => {
      if (stage === 'training owners (gru)' && done === 2) stop.abort(new Error('enough'));
    };
    const watched = { ...context, signal: stop.signal, progress };
    await expect(runExperiment('beyond', 'metr-la', watched, ['gru'])).rejects.toThrow('enough');
    const [variant] = readdirSync(join(cache, 'owners')).filter((name) => name.startsWith('metr-la-gru'));
    const owners = join(cache, 'owners', variant, 'owners');
    const trained = readdirSync(owners).filter((owner) => existsSync(join(owners, owner, 'model.json')));
    expect(trained.length).toBeGreaterThanOrEqual(2);
    expect(trained.length).toBeLessThan(12);
  });

  it('says what to fetch, and what it does not know', () => {
    const nowhere = temporaryDirectory();
    const run = (experiment: string, ...args: string[]) =>
      runF3('reproduce', experiment, '--data', nowhere, '--cache', nowhere, '--out', join(nowhere, 'r'), ...args);
    const missing = run('table-1');
    expect(missing.stderr).toMatch(/metr-la.h5 must lie in .* got no such file; fetch it .* \[F3_REPRODUCE_DATA\]/);
    const unknown = run('table-9');
    expect(unknown.stderr).toContain('experiment: must be one of table-1');
    const rows = run('theory', '--rows', 'A');
    expect(rows.stderr).toContain('--rows: needs a table of rows');
    const part = run('table-2', '--rows', 'K', '--update');
    expect(part.stderr).toContain('--update: needs whole tables');
    const stranger = run('table-2', '--rows', 'K,Z');
    expect(stranger.stderr).toContain('rows: must be among A, B');
    const seeds = run('theory', '--seeds', '4');
    expect(seeds.stderr).toContain('--seeds: needs an experiment that repeats');
    const few = run('table-2', '--seeds', '4', '--update');
    expect(few.stderr).toContain('--update: needs 5 seeds or more for table-2 on metr-la, got --seeds 4');
    const page = run('theory', '--markdown', join(nowhere, 'results.md'));
    expect(page.stderr).toContain('--markdown: must be a folder for several pages');
    const file = run('theory', '--cache', fileURLToPath(import.meta.url));
    expect(file.stderr).toContain('--cache: must be a folder or not be there yet');
    // The first data set is there, the second is not: better to know before the hours of the first.
    const later = run('table-1', '--dataset', 'metr-la', 'pems-bay-74', '--data', data);
    expect(later.stderr).toContain('pems-bay-74.h5 must lie in');
    const bare = temporaryDirectory();
    copyFileSync(join(data, 'metr-la.h5'), join(bare, 'metr-la.h5'));
    const none = run('table-3', '--rows', 'none/given', '--data', bare);
    expect(none.stderr).toContain(
      'at least one must run on metr-la, got none. none/given (no alignment, given graph) was left out',
    );
    const all = [missing, unknown, rows, part, stranger, seeds, few, page, file, later, none];
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 2));
    expect(existsSync(join(nowhere, 'r'))).toBe(false);
  });
});
