// The graph as a file: SVG and PNG as it stands on the page, and its edges as CSV.
import type { ModelGraph } from '../../../src/exchange/messages.ts';
import { mixed, themeColour, themeText } from '../../charts/theme.ts';
import type { Place } from './positions.ts';

export interface Picture {
  graph: ModelGraph;
  places: Place[];
  looks: { colour: string; size: number }[];
  edges: [number, number, number][];
}

const SIZE = 1200;
const MARGIN = 40;

/** Positions in the picture, with y downwards. */
function scaled({ places }: Picture): Place[] {
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of places) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [bottom, top] = [Math.min(bottom, y), Math.max(top, y)];
  }
  const scale = (SIZE - 2 * MARGIN) / Math.max(1e-9, right - left, top - bottom);
  return places.map(([x, y]) => [
    SIZE / 2 + (x - (left + right) / 2) * scale,
    SIZE / 2 - (y - (bottom + top) / 2) * scale,
  ]);
}

const edgeColour = (probability: number): string =>
  mixed(themeColour('--page'), themeColour('--faint'), 0.15 + 0.5 * probability ** 2);

export function exportSvg(name: string, picture: Picture | undefined): void {
  if (!picture) return;
  const places = scaled(picture);
  const short = (value: number): string => value.toFixed(1);
  const lines = picture.edges.map(([from, to, probability]) => {
    const [[x1, y1], [x2, y2]] = [places[from], places[to]];
    return `<path d="M${short(x1)} ${short(y1)}L${short(x2)} ${short(y2)}" stroke="${edgeColour(probability)}" stroke-width="${short(0.4 + 1.4 * probability ** 2)}"/>`;
  });
  const dots = places.map(([x, y], i) => {
    const { colour, size } = picture.looks[i];
    return `<circle cx="${short(x)}" cy="${short(y)}" r="${short(size)}" fill="${colour}"><title>${escaped(picture.graph.owners[i])}</title></circle>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}"><rect width="${SIZE}" height="${SIZE}" fill="${themeText('--page')}"/><g fill="none">${lines.join('')}</g><g>${dots.join('')}</g></svg>`;
  save(`${name}.svg`, new Blob([svg], { type: 'image/svg+xml' }));
}

export function exportPng(name: string, picture: Picture | undefined): void {
  if (!picture) return;
  const places = scaled(picture);
  const canvas = document.createElement('canvas');
  canvas.width = SIZE * 2;
  canvas.height = SIZE * 2;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(2, 2);
  context.fillStyle = themeText('--page');
  context.fillRect(0, 0, SIZE, SIZE);
  for (const [from, to, probability] of picture.edges) {
    context.strokeStyle = edgeColour(probability);
    context.lineWidth = 0.4 + 1.4 * probability ** 2;
    context.beginPath();
    context.moveTo(...places[from]);
    context.lineTo(...places[to]);
    context.stroke();
  }
  places.forEach(([x, y], i) => {
    context.fillStyle = picture.looks[i].colour;
    context.beginPath();
    context.arc(x, y, picture.looks[i].size, 0, 2 * Math.PI);
    context.fill();
  });
  canvas.toBlob((blob) => blob && save(`${name}.png`, blob));
}

export function exportCsv(name: string, { owners }: ModelGraph, edges: [number, number, number][]): void {
  const rows = edges.map(([from, to, probability]) =>
    [quoted(owners[from]), quoted(owners[to]), probability].join(','),
  );
  save(`${name}.csv`, new Blob([`${['from,to,probability', ...rows].join('\n')}\n`], { type: 'text/csv' }));
}

/** A name that a spreadsheet would take for a formula is kept a name. */
const quoted = (name: string): string => `"${name.replace(/^([=+\-@])/, "'$1").replaceAll('"', '""')}"`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
