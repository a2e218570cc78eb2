// [coordinator] A graph between owners that a fusion is given: by name, as edges or as a matrix, so that its order can be checked.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readText } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { parseGraph } from '../../exchange/labels/graph-csv.ts';
import { EDGE_WEIGHT_RULE, isEdgeWeight } from './edge-weight.ts';
import { checkNamedGraph, orderGraph } from './order-graph.ts';

/** An edge between two owners, by name. */
export interface GivenEdge {
  from: string;
  to: string;
  /** Default 1. */
  weight?: number | undefined;
}

/** One row and one column per owner; it may know more owners than are fused. */
export interface GivenMatrix {
  /** Owners in the order of rows and columns. */
  owners: readonly string[];
  /** [owner][owner], in the order of `owners` */
  weights: readonly ArrayLike<number>[];
}

/** Edges count in both directions. Owners that no edge names have none. */
export type GivenGraph = GivenMatrix | readonly GivenEdge[];

/** A CSV file: edges `from,to[,weight]`, or a matrix whose first line names the owners. */
export type GraphSource = string | GivenGraph;

/** The graph without some of its owners; a matrix may know more owners than are fused, so it stays as it is. */
export function graphWithout(graph: GivenGraph, owners: readonly string[] = []): GivenGraph {
  if ('weights' in graph) return graph;
  return graph.filter(({ from, to }) => !owners.includes(from) && !owners.includes(to));
}

/** Checks the graph against the owners that are fused. → [owner, owner] in the order `owners` */
export function graphWeights(graph: GivenGraph, owners: readonly string[], name: string): Float64Array {
  if ('weights' in graph) return matrixWeights(graph, owners, name);
  const positions = new Map(owners.map((owner, i) => [owner, i]));
  const matrix = new Float64Array(owners.length ** 2);
  for (const [i, { from, to, weight = 1 }] of graph.entries()) {
    const [row, column] = [positions.get(from), positions.get(to)];
    if (row === undefined || column === undefined || !isEdgeWeight(weight)) {
      const rule = `edge ${i + 1} must be between two owners of the bundles, with a weight that is ${EDGE_WEIGHT_RULE}`;
      throw graphError(`${name}: ${rule}, got ${from}, ${to}, ${weight}`);
    }
    matrix[row * owners.length + column] = weight;
    matrix[column * owners.length + row] = weight;
  }
  return matrix;
}

function matrixWeights({ owners: names, weights }: GivenMatrix, owners: readonly string[], name: string): Float64Array {
  const size = names.length;
  const rule = `must be ${size} × ${size} numbers, one row and column per owner`;
  if (weights.length !== size) throw graphError(`${name}: ${rule}, got ${weights.length} rows`);
  const flat = new Float64Array(size * size);
  for (const [row, numbers] of weights.entries()) {
    if (numbers.length !== size) throw graphError(`${name}: ${rule}, got ${numbers.length} in row ${row + 1}`);
    flat.set(numbers, row * size);
  }
  const named = { owners: names, weights: flat };
  checkNamedGraph(named, owners, name);
  return orderGraph(named, owners);
}

/** Reads a graph from its file; a graph that is no path is given back as it is. */
export async function readGraph(source: GraphSource): Promise<GivenGraph> {
  return typeof source === 'string' ? readGraphFile(source) : source;
}

/** A bare matrix is taken only from a data set, whose card beside it says the order of its owners. */
async function readGraphFile(file: string): Promise<GivenGraph> {
  const text = (await readText(file)).replace(/^\uFEFF/, '').trimEnd();
  const name = `graph ${file}`;
  const [header] = text.split(/\r?\n/, 1);
  const cells = header.split(',').map(unquote);
  if (cells[0] === 'from' && cells[1] === 'to') return readEdges(text, name);
  // Names may be numbers: a matrix that names its columns has one line more than columns.
  const isNamed = !cells.every(isNumber) || text.split(/\r?\n/).length === cells.length + 1;
  const order = isNamed ? cells.filter((cell) => cell !== '') : await datasetOwners(file);
  if (!order) {
    const rule = 'must start with a line from,to,weight (edges) or with the names of the owners (a matrix)';
    throw graphError(`${name}: ${rule}, got numbers, whose order nobody can check`);
  }
  const body = isNamed ? withoutRowNames(text.slice(header.length).trimStart(), order) : text;
  const flat = parseGraph(body, order.length, name);
  const weights = order.map((_, row) => flat.subarray(row * order.length, (row + 1) * order.length));
  return { owners: order, weights };
}

function readEdges(text: string, name: string): GivenEdge[] {
  return text
    .split(/\r?\n/)
    .slice(1)
    .map((line, i) => {
      const [from, to, weight = '1'] = line.split(',').map(unquote);
      if (from && to && weight !== '' && isEdgeWeight(Number(weight))) return { from, to, weight: Number(weight) };
      const rule = `line ${i + 2} must be two owners of the bundles and a weight, ${EDGE_WEIGHT_RULE}`;
      throw graphError(`${name}: ${rule}, got ${JSON.stringify(line)}`);
    });
}

/** A matrix may name its rows too, in the order of its columns. */
function withoutRowNames(body: string, order: readonly string[]): string {
  const lines = body.split(/\r?\n/);
  const areNamed = lines.every((line, row) => unquote(line.split(',', 1)[0]) === order[row]);
  if (!areNamed || lines.some((line) => line.split(',').length !== order.length + 1)) return body;
  return lines.map((line) => line.slice(line.indexOf(',') + 1)).join('\n');
}

/** Owners in the order of graph.csv, when the file lies in a data set. */
async function datasetOwners(file: string): Promise<string[] | undefined> {
  const card = join(dirname(file), 'dataset.json');
  if (!existsSync(card)) return undefined;
  const { owners } = JSON.parse(await readText(card)) as { owners?: string[] };
  return owners;
}

const isNumber = (cell: string): boolean => cell !== '' && Number.isFinite(Number(cell));
const unquote = (cell: string): string => cell.trim().replace(/^"(.*)"$/, '$1');
const graphError = (message: string): F3Error => new F3Error('F3_FUSE_GRAPH', message);
