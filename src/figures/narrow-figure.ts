// Lays a figure out anew for a phone: panels below each other, legends on top, long labels on several lines.
import type { TopLevelSpec } from 'vega-lite';

/** Width in pixels that a figure has on a phone 360 pixels wide. */
export const PHONE_WIDTH = 328;

/** A panel never gets narrower than this, in pixels. */
const LEAST_PANEL = 90;
/** A line of a label has at most this many letters, where words allow it. */
const LABEL_LETTERS = 16;
/** Height in pixels of a line of a label. */
const LINE_HEIGHT = 13;

type Json = Record<string, unknown>;

/** A specification whose panels are all `panel` pixels wide. */
export interface NarrowFigure {
  specification: TopLevelSpec;
  panel: number;
  /** How many panels stand side by side. */
  across: number;
}

/** The layout for a phone, its panels as wide as the screen; `fitPanels` makes room for what stands beside them. */
export function narrowFigure(specification: TopLevelSpec): NarrowFigure | undefined {
  const spec = specification as unknown as Json;
  const inner = (spec.spec ?? spec) as Json;
  if (typeof inner.width !== 'number') return undefined;
  const { facet, columns, across } = narrowFacet(spec, inner.width);
  // What is square, as a matrix, stays square; everything else takes the width there is.
  const most = Math.floor(PHONE_WIDTH / across);
  const panel = inner.width === inner.height ? Math.min(inner.width, most) : most;
  const labels = wrapLabels(inner, valuesOf(spec));
  const config = { ...(spec.config as Json | undefined), legend: { orient: 'top', columns: 1, titleAnchor: 'start' } };
  const narrowed = {
    ...spec,
    config,
    ...(facet !== undefined && { facet }),
    ...(columns !== undefined && { columns }),
  };
  const body = { ...inner, ...labels };
  const whole = spec.spec ? { ...narrowed, spec: body } : { ...narrowed, ...body };
  return { specification: withPanel(legendsOnTop(whole as unknown as TopLevelSpec), panel), panel, across };
}

/** The same layout with narrower panels, so that a drawing that came out `width` pixels wide fits. */
export function fitPanels({ specification, panel, across }: NarrowFigure, width: number): TopLevelSpec {
  const less = Math.ceil((width - PHONE_WIDTH) / across);
  return less > 0 ? withPanel(specification, Math.max(LEAST_PANEL, panel - less)) : specification;
}

function withPanel(specification: TopLevelSpec, width: number): TopLevelSpec {
  const spec = specification as unknown as Json;
  const inner = (spec.spec ?? spec) as Json;
  const size = inner.width === inner.height ? { width, height: width } : { width };
  const narrowed = spec.spec ? { ...spec, spec: { ...inner, ...size } } : { ...spec, ...size };
  return narrowed as unknown as TopLevelSpec;
}

/** Turns columns of panels into lines of panels; a grid of panels stays one. */
function narrowFacet(spec: Json, panel: number): { facet?: unknown; columns?: number; across: number } {
  const facet = spec.facet as Json | undefined;
  if (!facet) return { across: 1 };
  if (facet.row && facet.column)
    return { across: distinct(valuesOf(spec), (facet.column as Json).field as string).length };
  if (facet.column) return { facet: facet.column, columns: 1, across: 1 };
  const across = Math.max(1, Math.min(Number(spec.columns ?? 1), Math.floor(PHONE_WIDTH / (panel + 16))));
  return { columns: across, across };
}

/** Breaks names on the y axis into lines, and puts bars far enough apart for them. */
function wrapLabels(inner: Json, values: readonly Json[]): Json {
  const y = (inner.encoding as Json | undefined)?.y as Json | undefined;
  if (y?.type !== 'nominal' || typeof y.field !== 'string') return {};
  const lines = new Map(distinct(values, y.field).map((label) => [label, breakLabel(label)]));
  const most = Math.max(1, ...Array.from(lines.values(), (parts) => parts.length));
  if (most === 1) return {};
  const axis = { ...(y.axis as Json), labelExpr: `(${JSON.stringify(Object.fromEntries(lines))})[datum.label]` };
  const step = (inner.height as { step?: number } | undefined)?.step;
  const encoding = { ...(inner.encoding as Json), y: { ...y, axis } };
  // A step is the height of one bar; a name may have several of them.
  const offset = (inner.encoding as Json).yOffset as Json | undefined;
  const bars = offset ? Math.max(1, distinct(values, offset.field as string).length) : 1;
  const enough = Math.ceil((most * LINE_HEIGHT + 6) / bars);
  return { encoding, ...(step !== undefined && { height: { step: Math.max(step, enough) } }) };
}

/** Breaks a label between words into lines of at most LABEL_LETTERS letters; a longer word has a line of its own. */
export function breakLabel(label: string): string[] {
  const lines: string[] = [];
  for (const word of label.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LABEL_LETTERS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Puts legends on top, one entry a line: beside a figure they take its room. */
export function legendsOnTop(specification: TopLevelSpec): TopLevelSpec {
  const config = { ...(specification.config as Json | undefined), legend: { orient: 'top', columns: 1 } };
  return { ...(moveLegends(specification) as Json), config } as unknown as TopLevelSpec;
}

function moveLegends(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveLegends);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === 'data') return [key, part];
      if (key === 'legend' && typeof part === 'object' && part) return [key, { ...part, orient: 'top', columns: 1 }];
      return [key, moveLegends(part)];
    }),
  );
}

function valuesOf(spec: Json): Json[] {
  return ((spec.data as { values?: Json[] } | undefined)?.values ?? []) as Json[];
}

const distinct = (values: readonly Json[], field: string): string[] => [
  ...new Set(values.flatMap((value) => (value[field] === undefined ? [] : [String(value[field])]))),
];
