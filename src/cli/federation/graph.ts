// `f3 federation graph`: shows which owners a model links and how strongly, as a table, or writes all edges to a file.
import { extname } from 'node:path';
import { Command } from 'commander';
import { csvCell } from '../../base/csv-cell.ts';
import { checkFileTarget, writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import { MOST_EDGES, type ModelGraph } from '../../exchange/messages.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { addOperatorOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from './member-client.ts';

interface Options extends MemberOptions {
  model?: number;
  edges: number;
  out?: string;
  force?: boolean;
  json?: boolean;
}

const FORMATS = ['.csv', '.svg', '.json'];
const KINDS: Record<ModelGraph['kind'], string> = {
  learned: 'learned edge probabilities',
  given: 'given edges',
  neighbours: 'similarities of nearest neighbours',
};

export function graphCommand(): Command {
  const command = new Command('graph')
    .description('the consensus graph of a model: its strongest edges, or all of them in a file')
    .argument('[federation]', FEDERATION_TEXT)
    .option('--model <version>', 'default: the active one', integerFrom(1))
    .option('--edges <n>', 'how many of the strongest to show', integerFrom(0, MOST_EDGES), 20)
    .option('--out <file>', '.csv (from,to,probability), .svg or .json: the whole graph')
    .option('--force', 'replace a file that exists');
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
A file holds every edge, up to the ${MOST_EDGES.toLocaleString('en')} strongest: all of them for 1000 owners. A picture needs all.

Examples:
  f3 federation graph grid
  f3 federation graph grid --model 3 --out graph.csv`,
    )
    .action(async (named: string | undefined, options: Options) => {
      const format = checkOutput(options);
      const { client, federation } = await operatorPlace(named, options);
      const version = options.model ?? (await client.status(federation)).activeModel;
      if (typeof version !== 'number') {
        throw new F3Error('F3_MODEL_NONE', `federation ${federation}: must have an active model, got none`);
      }
      const edges = options.out === undefined ? options.edges : MOST_EDGES;
      const graph = await client.modelGraph(federation, version, { edges });
      if (options.out === undefined) return printResult(graph, graphText(graph), options.json);
      writeWholeFile(options.out, await contentOf(graph, format));
      const { owners, edges: listed, kind } = graph;
      const summary = { model: version, kind, owners: owners.length, edges: listed.length, out: options.out };
      const text = `${listed.length} edges between ${owners.length} owners, model ${version}, written to ${options.out}`;
      printResult(summary, text, options.json);
      if (isCut(graph)) process.stderr.write(`only the ${listed.length} strongest of ${graph.pairs} pairs are there\n`);
    });
}

/** Called before the coordinator is asked, so that a wrong target costs no waiting. */
function checkOutput({ out, force = false }: Options): string {
  if (out === undefined) return '';
  const format = extname(out).toLowerCase();
  if (!FORMATS.includes(format)) throw new F3Error('F3_OPTION', `--out: must end in ${FORMATS.join(', ')}, got ${out}`);
  checkFileTarget(out, force);
  return format;
}

const isCut = ({ edges, pairs }: ModelGraph): boolean => edges.length === MOST_EDGES && pairs > MOST_EDGES;

interface NamedEdge {
  from: string;
  to: string;
  probability: number;
}

const namedEdges = ({ owners, edges }: ModelGraph): NamedEdge[] =>
  edges.map(([first, second, probability]) => ({ from: owners[first], to: owners[second], probability }));

function graphText(graph: ModelGraph): string {
  const { model, kind, owners, pairs, mean, edges } = graph;
  const head = `model ${model}: ${KINDS[kind]} between ${owners.length} owners, ${pairs} pairs, mean ${mean?.toFixed(3) ?? '–'}`;
  if (edges.length === 0) return head;
  const columns: TextColumn<NamedEdge>[] = [
    { title: 'from', cell: ({ from }) => from },
    { title: 'to', cell: ({ to }) => to },
    { title: kind === 'neighbours' ? 'similarity' : 'probability', cell: ({ probability }) => probability, digits: 4 },
  ];
  return [head, ...tableLines(columns, namedEdges(graph))].join('\n');
}

async function contentOf(graph: ModelGraph, format: string): Promise<string> {
  if (format === '.json') return `${JSON.stringify(graph)}\n`;
  if (format === '.svg') return drawn(graph);
  const lines = namedEdges(graph).map(({ from, to, probability }) => `${csvCell(from)},${csvCell(to)},${probability}`);
  return `from,to,probability\n${lines.map((line) => `${line}\n`).join('')}`;
}

async function drawn(graph: ModelGraph): Promise<string> {
  const { owners, kind, edges } = graph;
  if (isCut(graph)) {
    const rule = 'a picture must have every edge, which 1000 owners have at most';
    throw new F3Error('F3_OPTION', `--out: ${rule}, got ${owners.length} owners; .csv takes the strongest`);
  }
  const { edgesFigure } = await import('../../figures/edges-figure.ts');
  const { svgFigure } = await import('../../figures/svg-figure.ts');
  const probabilities = new Float32Array(owners.length ** 2);
  for (const [first, second, probability] of edges) {
    probabilities[first * owners.length + second] = probability;
    probabilities[second * owners.length + first] = probability;
  }
  return svgFigure(edgesFigure({ kind, owners: owners.length, probabilities }, owners));
}
