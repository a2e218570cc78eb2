import { describe, expect, it } from 'vitest';
import { sampleFacts, sampleResult } from '../../../test/support/sample-results.ts';
import type { ExperimentResult } from '../experiment.ts';
import { checkPage, mergePages, pageOf, renderPage } from './results-page.ts';

const [table, beyond] = [
  sampleResult({ summary: 'of the first run' }),
  sampleResult({ name: 'beyond', title: 'Beyond the paper', summary: 'of the first run' }),
];
const third = sampleResult({ name: 'table-3', title: 'Table 3', summary: 'of the first run' });
const later = { ...sampleFacts, created: new Date('2031-02-03T04:05:00Z') };
const render = (results: ExperimentResult[], facts = sampleFacts) => renderPage('metr-la', results, facts);

describe('mergePages', () => {
  it('changes nothing where the same ran again', () => {
    const all = render([table, third, beyond]);
    expect(mergePages(all, render([third]))).toBe(all);
    expect(mergePages('', all)).toBe(all);
  });

  it('replaces what ran in its place and says when, the rest stays to the letter', () => {
    const again = { ...third, summary: 'of the second run', title: 'A longer title than the one before', seeds: 17 };
    const merged = mergePages(render([table, third, beyond]), render([again], later));
    expect([...merged.matchAll(/<a id="(.*?)">/g)].map(([, anchor]) => anchor)).toEqual([
      'table-2-metr-la',
      'table-3-metr-la',
      'beyond-metr-la',
    ]);
    const whole = render([table, again, beyond]);
    const facts = render([again], later).split('\n\n')[2];
    expect(facts).toContain('2031-02-03 04:05 UTC');
    expect(merged.split(`\n\n${facts}`)).toHaveLength(2);
    expect(merged.replace(`\n\n${facts}`, '')).toBe(whole);
    expect(mergePages(merged, render([again]))).toBe(whole);
  });

  it('puts what is new at the end, and takes a run of everything as it is', () => {
    expect(mergePages(render([table]), render([beyond]))).toBe(render([table, beyond]));
    const everything = render([table, third, beyond], later);
    expect(mergePages(render([third, table]), everything)).toBe(everything);
  });
});

describe('a page', () => {
  it('says what data it is about and leads back to the summary', () => {
    const [title, about] = render([table]).split('\n\n');
    expect(title).toBe('# Federated Feature Fusion, reproduced: METR-LA');
    expect(about).toMatch(/^Traffic speeds .* \[Summary of all pages\]\(README\.md\)$/);
  });

  it('is that of the data set, or of theory', () => {
    expect([pageOf({ dataset: 'pmu-b' }), pageOf({})]).toEqual(['pmu-b', 'theory']);
  });

  it('takes the place of a page of results or of nothing', () => {
    checkPage('', 'new.md');
    checkPage(render([table]), 'metr-la.md');
    expect(() => checkPage('# My diary\n\nToday', 'diary.md')).toThrow(
      'output diary.md: must be new, empty or begin with "# Federated Feature Fusion, reproduced:", got "# My diary"',
    );
  });

  it.each([
    ['no overview', render([]).split('\n\n').slice(0, 3).join('\n\n')],
    ['no section', render([])],
  ])('that was cut off is not merged with: %s', (found, text) => {
    expect(() => checkPage(text, 'cut.md')).toThrow(`must have an overview and sections, got ${found}`);
  });
});
