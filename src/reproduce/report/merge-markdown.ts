// Results written into a document that has some already: what ran replaces its own sections, the others stay.
import { F3Error } from '../../errors.ts';
import { DATASETS } from '../experiment.ts';
import { type Alignment, alignedTable } from './report-markdown.ts';
import { REPRODUCTION } from './report-names.ts';

/** A document as `renderMarkdown` writes it. */
interface ResultsDocument {
  title: string;
  /** What it was made with and when. */
  facts: string;
  /** Heads and rule of the overview. */
  columns: string[][];
  /** Anchor → its cells of the overview. */
  overview: Map<string, string[]>;
  /** What stands between the overview and the first section. */
  rules: string;
  /** Anchor → text, the anchor included. */
  sections: Map<string, string>;
}

/** Before the work: a document of something else is nobody's to overwrite. */
export function checkResultsDocument(text: string, file: string): void {
  if (text.trim() === '' || text.startsWith(`# ${REPRODUCTION}\n`)) return;
  const found = JSON.stringify(text.slice(0, 60).split('\n')[0]);
  throw new F3Error('F3_OUTPUT', `output ${file}: must be new, empty or begin with "# ${REPRODUCTION}", got ${found}`);
}

/**
 * `known` with the sections of `made`, in the order of `known`, new ones behind those of their data set. The first lines of `known` say what its
 * sections were made with; those that come from `made` say it themselves at their end, where it is something else.
 */
export function mergeMarkdown(known: string, made: string): string {
  if (known.trim() === '') return made;
  const [before, now] = [parse(known), parse(made)];
  const isWholeNew = [...before.sections.keys()].every((anchor) => now.sections.has(anchor));
  if (isWholeNew) return made;
  const ending = now.facts === before.facts ? '' : `\n\n${now.facts}`;
  const dated = new Map([...now.sections].map(([anchor, text]) => [anchor, `${text}${ending}`]));
  const sections = merged(before.sections, dated);
  const overview = merged(before.overview, now.overview);
  const [heads, rule] = now.columns;
  const alignments = rule.map((dashes): Alignment => (dashes.endsWith(':') ? 'right' : 'left'));
  const blocks = [now.title, before.facts, ...alignedTable(heads, alignments, [...overview.values()]), now.rules];
  return `${[...blocks, ...sections.values()].join('\n\n')}\n`;
}

/** By anchor: what is in both is the newer, in the place of the older. */
function merged<Part>(before: ReadonlyMap<string, Part>, now: ReadonlyMap<string, Part>): Map<string, Part> {
  const anchors = [...before.keys()];
  for (const anchor of now.keys()) {
    if (anchors.includes(anchor)) continue;
    const last = anchors.findLastIndex((other) => datasetOf(other) === datasetOf(anchor));
    anchors.splice(last < 0 ? anchors.length : last + 1, 0, anchor);
  }
  return new Map(anchors.map((anchor) => [anchor, (now.get(anchor) ?? before.get(anchor)) as Part]));
}

const datasetOf = (anchor: string): string | undefined => DATASETS.find((dataset) => anchor.endsWith(`-${dataset}`));

const ANCHOR = /^<a id="([^"]+)"><\/a>$/m;

function parse(text: string): ResultsDocument {
  const [head, ...parts] = text.trimEnd().split(/\n\n(?=<a id=")/);
  const [title, facts, table, ...rules] = head.split('\n\n');
  const [heads, rule, ...rows] = table.split('\n').map(cellsOf);
  return {
    ...{ title, facts, columns: [heads, rule], rules: rules.join('\n\n') },
    overview: new Map(rows.map((cells) => [/\(#([^)]+)\)$/.exec(cells[0])?.[1] ?? cells[0], cells])),
    sections: new Map(parts.map((part) => [ANCHOR.exec(part)?.[1] as string, part])),
  };
}

/** Bars that belong to a text are escaped. */
const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
