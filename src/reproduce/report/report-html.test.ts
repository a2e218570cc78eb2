import { describe, expect, it } from 'vitest';
import { xmlFault } from '../../../test/support/check-xml.ts';
import { sampleFacts, sampleResult, simulatedResult } from '../../../test/support/sample-results.ts';
import { PHONE_WIDTH } from '../../figures/narrow-figure.ts';
import { renderHtml } from './report-html.ts';
import { REPORT_STYLE } from './report-style.ts';

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
    expect(page).toMatch(/<td [^>]*class="number within"><span data-part="difference">\+0\.006</);
    expect(page).toMatch(/<td [^>]*class="number beyond"><span data-part="difference">−0\.130</);
    expect(page).toContain('1 of 2 compared values agree');
  });

  it('has dashes, never NaN, where a value is missing on either side', async () => {
    const page = await renderHtml([sampleResult({ figures: [] })], sampleFacts);
    expect(page).not.toContain('NaN');
    const cells = Array.from(page.matchAll(/<span data-part="(\w+)">([^<]*)</g), ([, part, text]) => `${part} ${text}`);
    expect(cells).toEqual(expect.arrayContaining(['ours –', 'paper 0.25', 'difference –', 'ours 0.500', 'paper –']));
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

  describe('on a phone', () => {
    const PHONE = /@media screen and \(max-width:40rem\)\{(.*?)\n\}/s.exec(REPORT_STYLE)?.[1] as string;
    const columns = ['model', ...Array.from({ length: 8 }, (_, i) => `score ${i}`)];
    const rows = [['K', ...Array.from({ length: 8 }, () => ({ mean: 0.5, deviation: 0.01 }))]];
    const wide = { title: 'Wide', columns, rows };
    const narrow = { title: 'Narrow', columns: ['', 'least', 'most'], rows: [['seconds', '1', '2']] };

    it('lays rows out as blocks where a table would not fit, each cell with the name of its column', async () => {
      const page = await renderHtml([sampleResult({ tables: [wide, narrow], figures: [] })], sampleFacts);
      const tables = [...page.matchAll(/<table[^>]*>/g)].map(([tag]) => tag);
      expect(tables.filter((tag) => tag.includes('class="stacks"'))).toHaveLength(1);
      for (const name of columns.slice(1)) expect(page).toContain(`data-label="${name}"`);
      expect(PHONE).toContain('.stacks tbody td::before{content:attr(data-label)');
      expect(PHONE).toContain('.stacks tbody tr{display:grid');
    });

    it('keeps a table a table for those who hear it, in blocks too', async () => {
      const page = await renderHtml([sampleResult({ tables: [wide], figures: [] })], sampleFacts);
      expect(page).toContain('<table class="stacks" role="table">');
      expect(page).toMatch(/<tr role="row"><th scope="row" role="rowheader"[^>]*>K<\/th><td role="cell"/);
    });

    it('draws a wide figure twice and shows the one that fits', async () => {
      const page = await renderHtml([sampleResult()], sampleFacts);
      const widths = [...page.matchAll(/<svg [^>]*class="(\w+)" style="--width:(\d+)px"/g)].map(([, name, width]) => [
        name,
        Number(width),
      ]);
      expect(widths.map(([name]) => name)).toEqual(['wide', 'narrow']);
      expect(widths[1][1]).toBeLessThanOrEqual(PHONE_WIDTH);
      expect(REPORT_STYLE).toContain('figure svg.narrow{display:none}');
      expect(PHONE).toContain('figure svg.wide{display:none}');
      expect(PHONE).toContain('figure svg.narrow{display:block}');
    });

    it('gives nothing a least width that is wider, hides no column and breaks long lines', () => {
      const outside = REPORT_STYLE.slice(0, REPORT_STYLE.indexOf('@media screen and (max-width:40rem)'));
      expect(outside).not.toMatch(/svg\{[^}]*min-width/);
      expect(PHONE).not.toMatch(/(td|th|nth-child[^{]*)\{[^}]*display:none/);
      expect(PHONE).toMatch(/th,td\{white-space:normal\}/);
      expect(PHONE).toContain('pre{white-space:pre-wrap}');
    });
  });
});
