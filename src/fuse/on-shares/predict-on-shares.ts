// [coordinator] Class logits of many samples from shares, with whoever is present: averaged over graphs, as predictLogits gives them in the clear.
import { randomBytes } from 'node:crypto';
import { CoordinatorDesk } from '../../shares/coordinator-desk.ts';
import { FRACTION_BITS } from '../../shares/fixed-point.ts';
import { MASKING_BITS, maskRoom } from '../../shares/party.ts';
import { LOGIT_BITS } from '../../shares/shared-forward.ts';
import { MAGNITUDES, type SharedShape } from '../../shares/shared-shape.ts';
import type { EntityLink } from './entity-link.ts';
import { QuadraticForms } from './quadratic-form.ts';

/** What is predicted, and over which graphs. */
export interface SharesPrediction {
  shape: SharedShape;
  /** Adjacencies whose logits are averaged, [owner, owner]; none without a graph. */
  graphs: readonly Float32Array[];
  /** Sample numbers. */
  rows: Uint32Array;
  /** [sample, owner] of all samples, 1 where present; without it everybody is. */
  present?: ArrayLike<number> | undefined;
  /** Names the masks: never the same for other samples or other weights. By default one that nobody has used before. */
  masks?: { session: string; firstStep: number } | undefined;
}

/** Samples at a time: it bounds the entities' memory, and no answer depends on it. */
export const BATCH = 256;
/** Public numbers stay below 2^24 in magnitude. */
const MOST = 2 ** 24;

/** Forms of the graphs that were predicted with, for as long as somebody has the graphs. */
const formsOfGraphs = new WeakMap<readonly Float32Array[], QuadraticForms>();

/** → [row, class] */
export async function predictFromShares(link: EntityLink, prediction: SharesPrediction): Promise<Float32Array> {
  const { shape, graphs, rows, present } = prediction;
  const { owners: n, classes, skip } = shape;
  const { session, firstStep } = prediction.masks ?? {
    session: `prediction ${randomBytes(16).toString('hex')}`,
    firstStep: 0,
  };
  const { field, scheme, transport, ledger, calls } = link;
  const secret = new Uint8Array(32);
  const desk = new CoordinatorDesk({ field, scheme, transport, ledger, session, secret, active: calls.entities });
  const forms = formsOfGraphs.get(graphs) ?? new QuadraticForms(graphs, n, skip);
  formsOfGraphs.set(graphs, forms);
  const order = sortedByOwners(rows, present, n);
  const logits = new Float32Array(rows.length * classes);
  for (let start = 0, step = firstStep; start < rows.length; start += BATCH, step++) {
    const chosen = order.slice(start, start + BATCH);
    const groups = groupsOf(chosen).map(({ owners, count }) => ({
      form: forms.of(field.engine, maskOf(owners)),
      samples: count,
      share: owners === '' ? 1 : shareOf(owners),
    }));
    const bits = Math.min(roomFor(link), ...groups.map(({ form }) => fittingBits(form.quadratic)));
    const arrays: Record<string, Uint32Array | Uint8Array | Int32Array | Float64Array> = {
      rows: Uint32Array.from(chosen, ({ row }) => row),
    };
    if (present)
      arrays.present = Uint8Array.from(
        chosen.flatMap(({ owners }) => [...(maskOf(owners) ?? new Uint8Array(n).fill(1))]),
      );
    for (const [i, { form }] of groups.entries()) {
      arrays[`quadratic ${i}`] = wholeNumbers(form.quadratic, bits);
      arrays[`linear ${i}`] = form.linear;
    }
    const facts = groups.map(({ samples, share }) => ({ samples, share }));
    const active = [...calls.entities];
    const { projections } = calls;
    const done = calls.call({ kind: 'predict', session, step, active, bits, groups: facts, projections }, arrays);
    const opened = await openedOr(done, desk.collect(step, 'logits', chosen.length * classes, LOGIT_BITS.opened));
    await done;
    field.reset();
    for (const [i, { at }] of chosen.entries()) {
      for (let c = 0; c < classes; c++) logits[at * classes + c] = opened[i * classes + c];
    }
  }
  return logits;
}

/** What is opened, unless an entity reports a failure first. */
export async function openedOr<Opened>(done: Promise<unknown>, opened: Promise<Opened>): Promise<Opened> {
  const failed = done.then(() => opened);
  failed.catch(() => undefined);
  opened.catch(() => undefined);
  return Promise.race([opened, failed]);
}

interface Asked {
  /** Place in the request. */
  at: number;
  row: number;
  /** Owners present, a digit each; empty where everybody is. */
  owners: string;
}

/** Samples with the same owners stand together, so that they share one form. */
function sortedByOwners(rows: Uint32Array, present: ArrayLike<number> | undefined, n: number): Asked[] {
  const asked = Array.from(rows, (row, at): Asked => {
    if (!present) return { at, row, owners: '' };
    const owners = Array.from({ length: n }, (_, i) => (present[row * n + i] === 0 ? '0' : '1')).join('');
    return { at, row, owners: owners.includes('0') ? owners : '' };
  });
  return asked.sort((a, b) => (a.owners < b.owners ? -1 : a.owners > b.owners ? 1 : a.at - b.at));
}

function groupsOf(chosen: readonly Asked[]): { owners: string; count: number }[] {
  const groups: { owners: string; count: number }[] = [];
  for (const { owners } of chosen) {
    const last = groups.at(-1);
    if (last?.owners === owners) last.count++;
    else groups.push({ owners, count: 1 });
  }
  return groups;
}

const maskOf = (owners: string): Uint8Array | undefined =>
  owners === '' ? undefined : Uint8Array.from(owners, Number);
const shareOf = (owners: string): number => [...owners].filter((digit) => digit === '1').length / owners.length;

/** Bits after the point of Q that leave the masks their room. */
function roomFor({ scheme }: EntityLink): number {
  return maskRoom(scheme) - 1 - MASKING_BITS - 2 * FRACTION_BITS - MAGNITUDES.pooled;
}

function wholeNumbers(values: Float32Array, bits: number): Int32Array {
  const whole = new Int32Array(values.length);
  for (let i = 0; i < whole.length; i++) whole[i] = Math.round(values[i] * 2 ** bits);
  return whole;
}

function fittingBits(values: Float32Array): number {
  let largest = 2 ** -20;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  return Math.floor(Math.log2(MOST / largest));
}
