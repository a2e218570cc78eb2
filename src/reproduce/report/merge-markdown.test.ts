import { describe, expect, it } from 'vitest';
import { sampleFacts, sampleResult } from '../../../test/support/sample-results.ts';
import { checkResultsDocument, mergeMarkdown } from './merge-markdown.ts';
import { renderMarkdown } from './report-markdown.ts';

describe('mergeMarkdown', () => {
  const [traffic, bay, beyond] = [
    sampleResult({ summary: 'of the first run' }),
    sampleResult({ dataset: 'pems-bay-74', summary: 'of the first run' }),
    sampleResult({ name: 'beyond', title: 'Beyond the paper', summary: 'of the first run' }),
  ];
  const later = { ...sampleFacts, created: new Date('2031-02-03T04:05:00Z') };
  const render = (results: Parameters<typeof renderMarkdown>[0], facts = sampleFacts) =>
    renderMarkdown(results, facts, { brief: true });

  it('changes nothing where the same ran again', () => {
    const all = render([traffic, bay, beyond]);
    expect(mergeMarkdown(all, render([bay]))).toBe(all);
    expect(mergeMarkdown('', all)).toBe(all);
  });

  it('replaces what ran in its place and says when, the rest stays to the letter', () => {
    const again = { ...bay, summary: 'of the second run', title: 'A much longer title than the one before', seeds: 17 };
    const merged = mergeMarkdown(render([traffic, bay, beyond]), render([again], later));
    expect([...merged.matchAll(/<a id="(.*?)">/g)].map(([, anchor]) => anchor)).toEqual([
      ...['table-2-metr-la', 'table-2-pems-bay-74', 'beyond-metr-la'],
    ]);
    const whole = render([traffic, again, beyond]);
    const facts = render([again], later).split('\n\n')[1];
    expect(facts).toContain('2031-02-03 04:05 UTC');
    expect(merged.split(`\n\n${facts}`)).toHaveLength(2);
    expect(merged.replace(`\n\n${facts}`, '')).toBe(whole);
    expect(mergeMarkdown(merged, render([again]))).toBe(whole);
  });

  it('puts what is new behind what is there of its data set, and takes a run of everything as it is', () => {
    expect(mergeMarkdown(render([traffic]), render([bay]))).toBe(render([traffic, bay]));
    expect(mergeMarkdown(render([traffic, bay]), render([beyond]))).toBe(render([traffic, beyond, bay]));
    const everything = render([traffic, bay, beyond], later);
    expect(mergeMarkdown(render([bay, traffic]), everything)).toBe(everything);
  });

  it('leaves documents of something else alone', () => {
    checkResultsDocument('', 'new.md');
    checkResultsDocument(render([traffic]), 'results.md');
    expect(() => checkResultsDocument('# My diary\n\nToday', 'diary.md')).toThrow(
      'output diary.md: must be new, empty or begin with "# Federated Feature Fusion, reproduced", got "# My diary"',
    );
  });
});
