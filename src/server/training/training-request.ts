// [coordinator] A request for a training: its schema, and how one is read whose lists are long.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { MOST_CLASSES } from '../../exchange/labels/class-names.ts';
import { PARTS } from '../../exchange/labels/sample-parts.ts';
import { PROMOTION_RULES } from '../../exchange/messages.ts';
import { MOST_MEMBERS } from '../../fuse/fuse-ensemble.ts';
import { type FusionPreset, fusionConfigSchema, fusionPresets, LEARNED_METHODS } from '../../fuse/fusion-config.ts';
import { MOST_FITS, MOST_MINUTES } from '../../fuse/search/search-budget.ts';
import { classNames } from '../class-names.ts';
import { MOST_VERSIONS } from '../prediction/model-version.ts';
import { parseWith } from '../requests/parse-with.ts';
import { digestGraph, type GraphDigest } from './graph-digest.ts';
import { DEFAULT_PROMOTION } from './judge-candidate.ts';
import { type PlanLists, packLists } from './plan-lists.ts';
import { type SplitFacts, splitFacts } from './split-digest.ts';

const positive = z.number().int().positive();
/** The coordinator's models predict from embeddings, so methods that only count votes are left out. */
const configSchema = fusionConfigSchema.extend({ method: z.enum(LEARNED_METHODS) }).partial();

/** The longest lists of a request, beside those that are checked by hand. A given graph names no more owners than may be left out. */
const MOST_ITEMS = { learningRates: 10, classes: MOST_CLASSES, without: 10_000 };

const ids = z.array(z.string().min(1)).min(1);
export const trainingRequest = z.strictObject({
  preset: z.enum([...(Object.keys(fusionPresets) as FusionPreset[]), 'auto']).optional(),
  config: configSchema.default({}),
  learningRates: z.array(z.number().positive().max(10)).min(1).max(MOST_ITEMS.learningRates).optional(),
  split: z.union([z.number().int().min(0), z.strictObject({ train: ids, validation: ids, test: ids })]).optional(),
  classes: classNames.optional(),
  /** Owners whose bundles are left out. */
  without: ids.max(MOST_ITEMS.without).optional(),
  /** Without a version, the active model is refitted. */
  refit: z.strictObject({ owner: z.string().min(1), model: positive.max(MOST_VERSIONS).optional() }).optional(),
  /** Named edges, or a matrix with the names of its rows and columns. */
  adjacency: z
    .union([
      z.array(z.strictObject({ from: z.string(), to: z.string(), weight: z.number().optional() })),
      z.strictObject({ owners: z.array(z.string()), weights: z.array(z.array(z.number())) }),
    ])
    .optional(),
  /** For preset auto. */
  budget: z
    .strictObject({
      fits: positive.max(MOST_FITS).optional(),
      minutes: z.number().positive().max(MOST_MINUTES).optional(),
    })
    .optional(),
  /** For preset auto: how much absent owners count in the choice. */
  absenceWeight: z.number().min(0).max(1).optional(),
  /** Several fits that differ by their seed, as one model; calibrated unless told otherwise. */
  ensemble: z
    .strictObject({ fits: positive.max(MOST_MEMBERS).default(1), calibrate: z.boolean().default(true) })
    .optional(),
  promote: z.enum(PROMOTION_RULES).default(DEFAULT_PROMOTION),
});

/** A request as it is sent. */
export type AskedTraining = z.infer<typeof trainingRequest>;

/** A request as it is planned from: what is in its lists is known, and the lists are kept as the plan will keep them. */
export interface ReadTraining {
  options: Omit<AskedTraining, 'split' | 'adjacency'>;
  lists: PlanLists;
  split: SplitFacts | undefined;
  graph: GraphDigest | undefined;
}

/** Reads a request whose form was checked. */
export function readTraining({ split, adjacency, ...options }: AskedTraining): ReadTraining {
  return {
    options,
    lists: { split, adjacency },
    split: split === undefined ? undefined : splitFacts(split),
    graph: adjacency && digestGraph(adjacency),
  };
}

/** Checks and reads a request that is long. */
export function readLongTraining(body: unknown): ReadTraining {
  if (!isObject(body)) return readTraining(parseWith(trainingRequest, body));
  requireLengths(body);
  const { split, adjacency, ...rest } = body;
  const options = parseWith(trainingRequest, { ...rest, ...(!isObject(split) && split !== undefined && { split }) });
  requireLists(body);
  const lists = { split: split ?? undefined, adjacency } as Pick<AskedTraining, 'split' | 'adjacency'>;
  const read = readTraining({ ...options, ...lists });
  return { ...read, lists: packLists(read.lists) };
}

/**
 * Checks the lists of a request by hand, and stops at the first mistake: the schema would describe each wrong item twice, which for
 * those of 64 KiB takes the thread that serves requests longer than a hundred requests do.
 */
export function requireLists(body: unknown): void {
  if (!isObject(body)) return;
  requireLengths(body);
  const { split, adjacency } = body;
  if (isObject(split)) requireParts(split);
  if (adjacency !== undefined) requireGraph(adjacency);
}

/** A schema looks at every item of a list before it says that there are too many. */
function requireLengths(body: Record<string, unknown>): void {
  for (const [name, most] of Object.entries(MOST_ITEMS)) {
    const list = body[name];
    if (Array.isArray(list) && list.length > most) throw refusal(`${name} must have at most ${most} items`);
  }
}

function requireParts(split: Record<string, unknown>): void {
  for (const part of PARTS) {
    const ids = split[part];
    if (!Array.isArray(ids) || ids.length === 0) throw refusal(`split.${part} must be a list of sample ids`);
    const wrong = ids.findIndex((id) => typeof id !== 'string' || id === '');
    if (wrong >= 0) throw refusal(`split.${part}.${wrong} must be a sample id`);
  }
  if (Object.keys(split).length !== PARTS.length) throw refusal(`split must have the parts ${PARTS.join(', ')} only`);
}

function requireGraph(adjacency: unknown): void {
  const shape = 'adjacency must be a list of edges, or owners and weights';
  if (Array.isArray(adjacency)) {
    const wrong = adjacency.findIndex((edge) => !isEdge(edge));
    if (wrong >= 0) throw refusal(`adjacency.${wrong} must be an edge with from, to and perhaps a weight`);
    return;
  }
  if (!isObject(adjacency)) throw refusal(shape);
  const { owners, weights, ...rest } = adjacency;
  if (!Array.isArray(owners) || !Array.isArray(weights) || Object.keys(rest).length > 0) throw refusal(shape);
  const unnamed = owners.findIndex((owner) => typeof owner !== 'string');
  if (unnamed >= 0) throw refusal(`adjacency.owners.${unnamed} must be a name`);
  const isRow = (row: unknown) => Array.isArray(row) && row.every((weight) => typeof weight === 'number');
  const wrong = weights.findIndex((row) => !isRow(row));
  if (wrong >= 0) throw refusal(`adjacency.weights.${wrong} must be a list of numbers`);
}

function isEdge(edge: unknown): boolean {
  if (!isObject(edge)) return false;
  const { from, to, weight } = edge;
  const members = Object.keys(edge).length;
  if (typeof from !== 'string' || typeof to !== 'string') return false;
  return members === 2 || (members === 3 && typeof weight === 'number');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refusal = (rule: string) => new F3Error('F3_REQUEST', `request: ${rule}, got something else`);
