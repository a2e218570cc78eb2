// Figures of a report as SVG. Inside the page their colours are CSS variables, so that they follow light and dark; in files
// they stand on white.

import { mergeConfig } from 'vega';
import type { Config, TopLevelSpec } from 'vega-lite';
import { FIGURE_COLOURS } from './colours.ts';
import { fitPanels, legendsOnTop, narrowFigure, PHONE_WIDTH } from './narrow-figure.ts';
import { type ResultFigure, SIMULATED } from './result.ts';
import { svgFigure } from './svg-figure.ts';

const light = (name: keyof typeof FIGURE_COLOURS): string => FIGURE_COLOURS[name][0];
const [INK, FAINT, GRID] = [light('--ink'), light('--faint'), light('--grid')];

/** The colours of the data, in the order in which scales take them. */
export const SERIES = (['--c1', '--c3', '--c4', '--c5', '--c6', '--c7', '--c8', '--c2'] as const).map(light);
export const OURS = light('--c1');
export const PAPER = light('--c2');
/** The colour of marks that belong to no series: error bars, rules, labels. */
export const LINE = INK;

const CONFIG: Config = {
  aria: false, // the whole figure is one image with one name
  font: 'system-ui, sans-serif',
  padding: 4,
  view: { stroke: null },
  axis: {
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    labelLimit: 320,
    labelColor: FAINT,
    titleColor: FAINT,
    domainColor: GRID,
    tickColor: GRID,
    gridColor: GRID,
    titlePadding: 8,
    labelPadding: 5,
  },
  axisY: { labelColor: INK },
  header: { labelColor: INK, titleColor: INK, labelFontSize: 13, labelFontWeight: 600 },
  legend: {
    labelColor: INK,
    titleColor: FAINT,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    labelLimit: 320,
    symbolStrokeWidth: 2,
  },
  title: {
    fontSize: 14,
    fontWeight: 600,
    anchor: 'start',
    color: INK,
    offset: 12,
    subtitleColor: FAINT,
    subtitleFontSize: 12,
  },
  mark: { color: OURS },
  text: { color: INK, fontSize: 12 },
  rule: { color: INK },
  range: { category: SERIES, ordinal: SERIES },
};

/**
 * Draws for the page: without background and size, in colours that follow the reader's choice of light or dark. A figure
 * that is too wide for a phone is drawn twice, and the style sheet shows one of the two.
 */
export async function pageFigure(figure: ResultFigure, id: string): Promise<string> {
  const { specification, title } = figure;
  const drawn = await draw(specification, 'transparent');
  if (widthOf(drawn) <= PHONE_WIDTH) return pageSvg(drawn, { id, title });
  const narrow = await drawNarrow(figure);
  if (!narrow) return pageSvg(drawn, { id, title });
  return pageSvg(drawn, { id, title, show: 'wide' }) + pageSvg(narrow, { id: `${id}-narrow`, title, show: 'narrow' });
}

async function drawNarrow({ specification, narrow }: ResultFigure): Promise<string | undefined> {
  if (narrow) return draw(legendsOnTop(narrow), 'transparent');
  const laidOut = narrowFigure(specification);
  if (!laidOut) return undefined;
  const drawn = await draw(laidOut.specification, 'transparent');
  return widthOf(drawn) <= PHONE_WIDTH ? drawn : draw(fitPanels(laidOut, widthOf(drawn)), 'transparent');
}

const SIZE = /^<svg[^>]*? width="([\d.]+)" height="[\d.]+"/;

const widthOf = (svg: string): number => Number(SIZE.exec(svg)?.[1]);

function pageSvg(svg: string, { id, title, show }: { id: string; title: string; show?: 'wide' | 'narrow' }): string {
  return withVariables(withIds(svg, id)).replace(SIZE, (_, width) => {
    const look = `${show ? `class="${show}" ` : ''}style="--width:${Math.ceil(width)}px"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${attribute(title)}" ${look}`;
  });
}

/** Draws for a file: on white, with its title, and with a note where the data is simulated. */
export async function fileFigure({ specification, title }: ResultFigure, simulated: boolean): Promise<string> {
  const heading = { text: title, ...(simulated && { subtitle: SIMULATED }) };
  const drawn = withIds(await draw({ ...specification, padding: 12, title: heading }, 'white'), 'figure');
  return `${drawn.replace(/^<svg/, `<svg role="img" aria-label="${attribute(title)}"`)}\n`;
}

async function draw(specification: TopLevelSpec, background: string): Promise<string> {
  const config = mergeConfig({}, CONFIG, specification.config ?? {}) as Config;
  const svg = await svgFigure({ ...specification, background, config });
  // Numbers are rounded to a hundredth of a pixel, which halves the file.
  return svg.replaceAll(/<[^>]+>/g, (tag) =>
    tag.replaceAll(/\d+\.\d{3,}/g, (number) => String(Math.round(Number(number) * 100) / 100)),
  );
}

/** Renames ids: Vega counts them over the whole process, but a figure must always be the same and may share its page. */
function withIds(svg: string, prefix: string): string {
  const ids = [...svg.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
  const name = (id: string) => `${prefix}-${ids.indexOf(id) + 1}`;
  return svg
    .replaceAll(/ id="([^"]+)"/g, (_, id) => ` id="${name(id)}"`)
    .replaceAll(/url\(#([^)]+)\)/g, (_, id) => `url(#${name(id)})`);
}

function withVariables(svg: string): string {
  let themed = svg;
  for (const [name, [colour]] of Object.entries(FIGURE_COLOURS)) {
    themed = themed.replaceAll(`="${colour}"`, `="var(${name})"`);
  }
  return themed;
}

const attribute = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
