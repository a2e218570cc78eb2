import { describe, expect, it } from 'vitest';
import { xmlFault } from '../../../test/support/check-xml.ts';
import { sampleFacts, sampleResult, simulatedResult } from '../../../test/support/sample-results.ts';
import { renderHtml } from './report-html.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

describe('report.html', () => {
  it('means every text literally', async () => {
    const page = await renderHtml([sampleResult()], sampleFacts);
    expect(page).not.toMatch(/<script|<b>|<done>|<note>|<CPU>/);
    expect(page).toContain('Table 2: &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('f3 reproduce table-2 &amp;&amp; echo &quot;&lt;done&gt;&quot;');
    expect(page).toContain('&lt;/code&gt;&lt;script&gt;');
    expect(page).toContain('aria-label="Bars of &quot;all&quot; &lt;rows&gt;"');
  });

  it('nests its tags', async () => {
    const page = await renderHtml([sampleResult(), simulatedResult()], sampleFacts);
    const body = page.slice(page.indexOf('<body>'), page.indexOf('</html>')).replaceAll('<br>', '');
    expect(xmlFault(body)).toBeUndefined();
  });

  it('refers to nothing outside itself', async () => {
    const page = await renderHtml([sampleResult()], sampleFacts);
    const addresses = [...page.matchAll(/https?:[^"'\s)]*/g)].map(([address]) => address);
    const namespaces = ['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xlink'];
    expect(addresses.filter((address) => !namespaces.includes(address))).toEqual([]);
    expect(page).not.toMatch(/<link|<img|@import|url\((?!#)|\ssrc=/);
  });

  it('shows ours, the paper’s and the difference, coloured by the verdict', async () => {
    const page = await renderHtml([sampleResult()], sampleFacts);
    expect(page).toContain('0.776<span class="spread">± 0.002</span>');
    expect(page).toContain('<td class="number within">+0.006</td>');
    expect(page).toContain('<td class="number beyond">−0.130</td>');
    expect(page).toContain('1 of 2 compared values agree');
  });

  it('has dashes, never NaN, where a value is missing on either side', async () => {
    const page = await renderHtml([sampleResult({ figures: [] })], sampleFacts);
    expect(page).not.toContain('NaN');
    expect(page).toContain(
      '<td class="number first">–</td><td class="number paper">0.25</td><td class="number unjudged">–</td>',
    );
    expect(page).toContain('<td class="number first">0.500</td><td class="number paper">–</td>');
  });

  it('marks simulated data in the contents, the overview, the heading and at each table and figure', async () => {
    const page = await renderHtml([sampleResult(), simulatedResult()], sampleFacts);
    expect(count(page, '<span class="simulated">simulated data</span>')).toBe(4);
    expect(page).toContain('<small>PMU-B, simulated data</small>');
    expect(await renderHtml([simulatedResult()], sampleFacts)).not.toContain('aria-label="Contents"');
    expect(await renderHtml([sampleResult()], sampleFacts)).not.toContain('simulated data');
  });

  it('links each experiment once, even when a name occurs twice', async () => {
    const page = await renderHtml([sampleResult(), sampleResult(), simulatedResult()], sampleFacts);
    for (const id of ['table-2-metr-la', 'table-2-metr-la-2', 'table-2-pmu-b']) {
      expect(count(page, `<section id="${id}">`)).toBe(1);
      expect(count(page, `href="#${id}"`)).toBe(2);
    }
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('follows light and dark, and stays light on paper', async () => {
    const page = await renderHtml([sampleResult()], sampleFacts);
    expect(page).toContain('@media screen and (prefers-color-scheme:dark)');
    expect(page).toContain('name="viewport"');
  });

  it('says by what it was made', async () => {
    const page = await renderHtml([], sampleFacts);
    expect(page).toContain('f3 1.2.3, Node 24.0.0, linux x64, Some &lt;CPU&gt;, 2 cores, 2024-05-06 07:08 UTC');
  });

  it('with a heading of its own has no overview and says nothing of the paper', async () => {
    const heading = { title: 'A <demo>', introduction: 'Of something else.' };
    const page = await renderHtml([simulatedResult()], { ...sampleFacts, heading });
    expect(page).toContain('<h1>A &lt;demo&gt;</h1>');
    expect(page).toContain('Of something else.');
    expect(page).not.toMatch(/reproduced|Overview|Contents/);
  });
});
