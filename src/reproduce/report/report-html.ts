// report.html: one page without scripts or references, from the results of experiments.
import { PHONE_WIDTH } from '../../figures/narrow-figure.ts';
import { pageFigure } from '../../figures/report-figure.ts';
import { type ResultFigure, type ResultTable, SIMULATED } from '../../figures/result.ts';
import type { ExperimentResult } from '../experiment.ts';
import { phoneWidth } from './phone-width.ts';
import {
  agreement,
  agreementText,
  type CellText,
  type Column,
  cellText,
  columnsOf,
  formatDuration,
  formatSeeds,
  TIME_RULE,
  VERDICT_RULE,
} from './report-cells.ts';
import { anchorsOf, datasetTitle, factLine, figureFiles, REPRODUCTION, type ReportFacts } from './report-names.ts';
import { REPORT_STYLE } from './report-style.ts';

/** Texts of more letters than this may break into lines. */
const LONG = 14;
/** What a compared column shows. */
const PARTS = ['ours', 'paper', 'difference'];

export async function renderHtml(results: readonly ExperimentResult[], facts: ReportFacts): Promise<string> {
  const anchors = anchorsOf(results);
  const files = figureFiles(results);
  const sections: string[] = [];
  for (const result of results) {
    const figures: string[] = [];
    for (const figure of result.figures) {
      const id = `figure-${files.get(figure)?.replace(/\.svg$/, '')}`;
      figures.push(figureBlock(figure, await pageFigure(figure, id), result));
    }
    sections.push(section(result, anchors.get(result) as string, figures));
  }
  const isSingle = facts.heading !== undefined || results.length === 1;
  const { title = REPRODUCTION, introduction = introductionOf(results) } = facts.heading ?? {};
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="f3 ${html(facts.version)}">
<title>${html(title)}</title>
<style>
${REPORT_STYLE}
</style>
</head>
<body>
<div class="layout${isSingle ? ' single' : ''}">
${isSingle ? '' : contents(results, anchors)}
<main>
<header>
<h1>${html(title)}</h1>
<p class="lead">${html(introduction)}</p>
<p class="facts">${html(factLine(facts))}</p>
</header>
${facts.heading ? '' : overview(results, anchors)}
${sections.join('\n')}
</main>
</div>
</body>
</html>
`;
}

function introductionOf(results: readonly ExperimentResult[]): string {
  const judged = agreement({ tables: results.flatMap(({ tables }) => tables) });
  const simulated = results.some((result) => result.simulated);
  return [
    'Tables and figures of the paper, computed anew, beside the numbers it prints.',
    ...(judged.judged > 0 ? [`${agreementText(judged)} compared values agree within their deviations.`] : []),
    ...(simulated ? ['Results on simulated data are marked; they are not comparable with the paper’s data.'] : []),
  ].join(' ');
}

function contents(results: readonly ExperimentResult[], anchors: ReadonlyMap<ExperimentResult, string>): string {
  const items = results.map((result) => {
    const about = [datasetTitle(result), result.simulated ? SIMULATED : undefined].filter(Boolean).join(', ');
    const small = about ? `<small>${html(about)}</small>` : '';
    return `<li><a href="#${anchors.get(result)}">${html(result.title)}${small}</a></li>`;
  });
  return `<nav aria-label="Contents">\n<p>Contents</p>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>`;
}

function overview(results: readonly ExperimentResult[], anchors: ReadonlyMap<ExperimentResult, string>): string {
  const rows = results.map((result) => {
    const data = datasetTitle(result);
    const about = [
      ...(data ? [`<span class="facts">${data}</span>`] : []),
      ...(result.simulated ? [badge(result)] : []),
    ];
    const link = `<a href="#${anchors.get(result)}">${html(result.title)}</a>`;
    const title = about.length > 0 ? `${link}<br>${about.join('')}` : link;
    const numbers = [agreementText(agreement(result)), String(result.seeds), formatDuration(result.seconds)];
    const cells = numbers.map((text) => `<td class="number">${text}</td>`).join('');
    return `<tr><th scope="row" class="long">${title}</th>${cells}</tr>`;
  });
  const heads = ['agree', 'seeds', 'time'].map((text) => `<th scope="col" class="number">${text}</th>`);
  const head = `<tr><th scope="col">experiment</th>${heads.join('')}</tr>`;
  return `<div class="overview">${tableBox('Overview', head, rows)}</div>
<p class="note">${html(VERDICT_RULE)} ${html(TIME_RULE)}</p>`;
}

function section(result: ExperimentResult, anchor: string, figures: readonly string[]): string {
  const { title, summary, tables, remarks, configuration, command, seeds, seconds } = result;
  const data = datasetTitle(result);
  const tags = [...(data ? [data] : []), formatSeeds(seeds), formatDuration(seconds)];
  const list = remarks.map((remark) => `<li>${html(remark)}</li>`).join('\n');
  return `<section id="${anchor}">
<h2>${html(title)}</h2>
<div class="tags">${badge(result)}${tags.map((tag) => `<span class="tag">${html(tag)}</span>`).join('')}</div>
<p>${html(summary)}</p>
${[...tables.map((table) => tableBlock(table, result)), ...figures].join('\n')}
${remarks.length > 0 ? `<h3>Remarks</h3>\n<ul class="remarks">\n${list}\n</ul>` : ''}
<h3>To get the same</h3>
<pre class="command"><code>${html(command)}</code></pre>
<details><summary>Configuration</summary><pre><code>${html(json(configuration))}</code></pre></details>
</section>`;
}

function tableBlock(table: ResultTable, result: ExperimentResult): string {
  const columns = columnsOf(table);
  const texts = table.rows.map((row) => columns.map((column, index) => cellText(row[index], column)));
  const rows = texts.map((row) => {
    const cells = row.map((text, index) => cellsOf(text, columns[index], index === 0));
    return `<tr role="row">${cells.join('')}</tr>`;
  });
  const note = table.note ? `\n<p class="note">${html(table.note)}</p>` : '';
  const stacks = phoneWidth(columns, texts) > PHONE_WIDTH;
  return `<div class="block">
<h3>${html(table.title)}${badge(result)}</h3>
${tableBox(table.title, tableHead(columns), rows, stacks)}${note}
</div>`;
}

function tableHead(columns: readonly Column[]): string {
  const compared = columns.some((column) => column.compared);
  const span = compared ? ' rowspan="2"' : '';
  const top = columns.map(({ title, compared: three, numeric }) => {
    if (three) return `<th scope="colgroup" colspan="3" class="group first">${html(title)}</th>`;
    return `<th scope="col"${span}${numeric ? ' class="number"' : ''}>${html(title)}</th>`;
  });
  const below = PARTS.map((part, i) => `<th scope="col" class="number${i === 0 ? ' first' : ''}">${part}</th>`).join(
    '',
  );
  const second = columns.map((column) => (column.compared ? below : '')).join('');
  return `<tr>${top.join('')}</tr>${compared ? `<tr>${second}</tr>` : ''}`;
}

/** A cell names its column, for phones: there a row of a wide table is a block of its own, without the table's head. */
function cellsOf(text: CellText, { title, compared, numeric }: Column, isFirst: boolean): string {
  const spread = (deviation?: string) => (deviation ? `<span class="spread">± ${html(deviation)}</span>` : '');
  const ours = `${html(text.mean)}${spread(text.deviation)}`;
  const style = numeric ? ' class="number"' : text.mean.length > LONG ? ' class="long"' : '';
  const label = title ? ` data-label="${html(title)}"` : '';
  if (isFirst && !compared) return `<th scope="row" role="rowheader"${style}${label}>${ours}</th>`;
  if (!compared) return `<td role="cell"${style}${label}><span>${ours}</span></td>`;
  const [first, second, third] = PARTS.map((part) => `<span data-part="${part}">`);
  return [
    `<td role="cell" class="number first"${label}>${first}${ours}</span></td>`,
    `<td role="cell" class="number paper">${second}${html(text.paper)}${spread(text.paperDeviation)}</span></td>`,
    `<td role="cell" class="number ${text.verdict}">${third}${html(text.difference)}</span></td>`,
  ].join('');
}

/** Puts a table into a box that scrolls instead of the page. The box takes the focus, so that keys scroll it too. */
function tableBox(label: string, head: string, rows: readonly string[], stacks = false): string {
  const look = stacks ? ' class="stacks" role="table"' : '';
  return `<div class="scroll" tabindex="0" role="region" aria-label="${html(label)}"><table${look}>
<thead>${head}</thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`;
}

function figureBlock({ title, caption }: ResultFigure, svg: string, result: ExperimentResult): string {
  return `<figure>
<div class="scroll" tabindex="0" role="region" aria-label="${html(title)}">${svg}</div>
<figcaption><strong>${html(title)}.</strong>${badge(result)} ${html(caption)}</figcaption>
</figure>`;
}

const badge = ({ simulated }: ExperimentResult): string =>
  simulated ? ` <span class="simulated">${SIMULATED}</span>` : '';

const json = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const html = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
