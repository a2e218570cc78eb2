// What one of three entities sees does not depend on the embeddings: the same computation on two very different ones. Each test has a twin
// that takes the randomness away and must see the difference.
import { afterAll, describe, expect, it } from 'vitest';
import { testKeys } from '../../test/support/local-entities.ts';
import { Engine } from '../core/engine/engine.ts';
import { fromBytes, modulo, toBytes } from '../core/reference/field.ts';
import { Field } from './field.ts';
import { toFixedPoint } from './fixed-point.ts';
import { Ledger } from './ledger.ts';
import { LocalNetwork, type SentMessage } from './local-network.ts';
import { Party } from './party.ts';
import { Scheme } from './scheme.ts';
import { splitNumbers } from './split-numbers.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

const scheme = new Scheme(1, 3);
const COUNT = 4000;

/** The one key that entity 1 does not have is drawn anew in each run, or is known: number 0. */
type MissingKey = number;
const KNOWN: MissingKey = 0;

/** Everybody squares an embedding and truncates. → the shares of the embedding, and all messages */
async function square(embedding: number, missing: MissingKey, { isSplit = true } = {}) {
  const messages: SentMessage[] = [];
  const network = new LocalNetwork(3, (message) => messages.push({ ...message, bytes: message.bytes.slice() }));
  const field = new Field(engine);
  const values = toFixedPoint(new Float64Array(COUNT).fill(embedding), 'embedding');
  const shares = isSplit ? splitNumbers(field, scheme, values) : [values, values, values];
  await Promise.all(
    [1, 2, 3].map(async (entity) => {
      const keys = new Map(testKeys(scheme, entity));
      if (keys.has('2 3')) keys.set('2 3', testKeys(scheme, 2, missing).get('2 3') as Uint8Array);
      const own = new Field(engine);
      const transport = network.transport(entity);
      const party = new Party({ field: own, scheme, transport, keys, ledger: new Ledger(), session: 's' });
      const numbers = own.load(shares[entity - 1]);
      const product = own.temporary(COUNT);
      own.multiply(numbers, numbers, product);
      await party.truncate([{ what: 'convolutions', numbers: product, shift: 24, bits: 65 }]);
      own.dispose();
    }),
  );
  field.dispose();
  return { share: shares[0], received: messages.filter(({ to }) => to === 1).map(({ bytes }) => bytes), messages };
}

/** c = x + r of every number, as any entity puts it together from the messages. */
async function openedNumbers(embedding: number, missing: MissingKey): Promise<bigint[]> {
  const { messages } = await square(embedding, missing);
  const sent = [1, 2, 3].map((entity) => fromBytes(messages.find(({ from }) => from === entity)?.bytes as Uint8Array));
  const weights = scheme.weights([1, 2, 3]);
  return sent[0].map((_, i) => modulo(sent.reduce((sum, shares, j) => sum + weights[j] * shares[i], 0n)));
}

/** How far the frequencies of byte values differ in two samples, at the worst of the 16 positions: χ², standardised. */
function difference(a: Uint8Array, b: Uint8Array): number {
  let worst = Number.NEGATIVE_INFINITY;
  for (let position = 0; position < 16; position++) {
    const counts = [new Float64Array(256), new Float64Array(256)];
    for (const [which, bytes] of [a, b].entries()) {
      for (let at = position; at < bytes.length; at += 16) counts[which][bytes[at]]++;
    }
    let [chi, cells] = [0, 0];
    for (let value = 0; value < 256; value++) {
      const total = counts[0][value] + counts[1][value];
      if (total === 0) continue;
      chi += (counts[0][value] - counts[1][value]) ** 2 / total;
      cells++;
    }
    worst = Math.max(worst, (chi - (cells - 1)) / Math.sqrt(2 * Math.max(1, cells - 1)));
  }
  return worst;
}

/** Seven standard deviations: chance goes further less than once in a million runs. */
const CHANCE = 7;
/** No chance comes near. */
const PLAIN = 40;
const [ONE, OTHER] = [0, 200];

describe('the view of one of three entities', () => {
  it('is of the same distribution for two embeddings: its shares, and what it receives', async () => {
    const [a, b] = [await square(ONE, 1), await square(OTHER, 2)];
    expect(difference(a.share, b.share)).toBeLessThan(CHANCE);
    expect(a.received.length).toBe(2);
    for (const i of [0, 1]) expect(difference(a.received[i], b.received[i])).toBeLessThan(CHANCE);
  });

  it('differs plainly when the random polynomials are taken away', async () => {
    const [a, b] = [await square(ONE, 1, { isSplit: false }), await square(OTHER, 2, { isSplit: false })];
    expect(difference(a.share, b.share)).toBeGreaterThan(PLAIN);
  });

  /** What is left of the opened numbers when the masks that entity 1 knows are taken off: x + r of the set it is not in. */
  const unknownPart = async (embedding: number, missing: MissingKey) => {
    const [opened, known] = [await openedNumbers(embedding, missing), await openedNumbers(0, KNOWN)];
    return toBytes(opened.map((value, i) => modulo(value - known[i])));
  };

  it('is of the same distribution for two embeddings: what is opened, less the masks it knows', async () => {
    const [a, b] = [await unknownPart(ONE, 5), await unknownPart(OTHER, 6)];
    expect(difference(a, b)).toBeLessThan(CHANCE);
  });

  it('shows the square of the embedding when the masks are taken away', async () => {
    const [a, b] = [await unknownPart(ONE, KNOWN), await unknownPart(OTHER, KNOWN)];
    expect(new Set(fromBytes(b))).toEqual(new Set([BigInt(OTHER * OTHER) << 48n]));
    expect(difference(a, b)).toBeGreaterThan(PLAIN);
  });
});
