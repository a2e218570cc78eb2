import { describe, expect, it } from 'vitest';
import { sampleFacts, sampleResult, simulatedResult } from '../../../test/support/sample-results.ts';
import { renderMarkdown } from './report-markdown.ts';

const tablesOf = (text: string) => text.split('\n\n').filter((block) => block.startsWith('| '));

describe('report.md', () => {
  it('has tables whose source is aligned', () => {
    for (const table of tablesOf(renderMarkdown([sampleResult(), simulatedResult()], sampleFacts))) {
      const bars = table
        .split('\n')
        .map((line) => [...line.replaceAll('\\|', '..')].flatMap((c, i) => (c === '|' ? [i] : [])));
      for (const line of bars) expect(line).toEqual(bars[0]);
    }
  });

  it('shows ours, the paper’s and the difference, bold where they disagree', () => {
    const [, table] = tablesOf(renderMarkdown([sampleResult()], sampleFacts));
    const rows = table.split('\n').map((line) => line.replaceAll(/\s+/g, ' '));
    expect(rows[0]).toBe('| row | F1, ours | paper | difference | accuracy |');
    expect(rows[2]).toBe('| E | 0.776 ± 0.002 | 0.77 ± 0.009 | +0.006 | 0.900 |');
    expect(rows[3]).toBe('| K & more | 0.700 ± 0.010 | 0.83 ± 0.010 | **−0.130** | – |');
    expect(rows[4]).toBe('| A | – | 0.25 | – | 0.500 |');
    expect(rows[5]).toBe('| no paper | 0.500 | – | – | not \\*run\\* |');
  });

  it('means every text literally', () => {
    const text = renderMarkdown([sampleResult()], sampleFacts);
    expect(text).toContain('## Table 2: \\<script\\>alert(1)\\</script\\> (METR-LA)');
    expect(text).toContain('### Scores \\| of \\<b\\>all\\</b\\> rows\n');
    expect(text).toContain('- One\\_remark with \\`code\\` and \\[a\\](link).');
    expect(text).toContain('```sh\nf3 reproduce table-2 && echo "<done>"\n```');
  });

  it('keeps a fence closed whatever stands inside', () => {
    const text = renderMarkdown([sampleResult({ command: 'echo ```' })], sampleFacts);
    expect(text).toContain('````sh\necho ```\n````');
  });

  it('marks simulated data in the overview, the heading and at each table and figure', () => {
    const text = renderMarkdown([simulatedResult()], sampleFacts);
    expect(text).toContain('(PMU-B, simulated data)](#table-2-pmu-b)');
    expect(text).toContain('(PMU-B, simulated data)\n');
    expect(text).toContain('rows (simulated data)\n');
    expect(text).toContain('(simulated data)](./scores.svg)');
    expect(renderMarkdown([sampleResult()], sampleFacts)).not.toContain('simulated');
  });

  it('links figures by the names of their files, which differ', () => {
    const text = renderMarkdown([sampleResult(), sampleResult({ dataset: 'pems-bay-74' })], sampleFacts);
    expect([...text.matchAll(/\]\((\.\/.*)\)/g)].map((match) => match[1])).toEqual(['./scores.svg', './scores-2.svg']);
  });

  it('has no NaN, undefined or heap of blank lines', () => {
    const text = renderMarkdown([sampleResult({ remarks: [], tables: [], figures: [] })], sampleFacts);
    expect(text).not.toMatch(/NaN|undefined|\n{3}/);
  });
});
