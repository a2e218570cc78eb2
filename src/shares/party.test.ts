import { afterAll, describe, expect, it } from 'vitest';
import { localEntities } from '../../test/support/local-entities.ts';
import fc from '../../test/support/seeded-fast-check.ts';
import { Engine } from '../core/engine/engine.ts';
import { centred, fromBytes, modulo, toBytes } from '../core/reference/field.ts';
import { CoordinatorDesk } from './coordinator-desk.ts';
import { Field, type Numbers } from './field.ts';
import { fromFixedPoint, toFixedPoint } from './fixed-point.ts';
import { Ledger } from './ledger.ts';
import { type EntityShares, reconstruct } from './reconstruct.ts';
import { Scheme } from './scheme.ts';
import { splitNumbers } from './split-numbers.ts';

const engine = new Engine({ threads: 1 });
const field = new Field(engine);
afterAll(() => engine.dispose());

const schemes = [
  [1, 3],
  [1, 4],
  [1, 5],
  [2, 5],
  [2, 7],
  [3, 7],
] as const;

/** Shares of the parties → the numbers they stand for, through any polynomial of degree t. */
function valuesOf(
  scheme: Scheme,
  parties: { entity: number; field: Field }[],
  shares: Numbers[],
  degree: number,
): bigint[] {
  const parts: EntityShares[] = parties.map((party, i) => ({
    entity: party.entity,
    shares: field.load(party.field.copy(shares[i])),
  }));
  return fromBytes(field.bytes(reconstruct(field, scheme, parts, degree, 'test'))).map(centred);
}

describe.each(schemes)('with threshold %i of %i entities', (threshold, entities) => {
  const scheme = new Scheme(threshold, entities);

  it('any threshold + 1 shares give the numbers back', () => {
    const values = [0n, 1n, -1n, 2n ** 90n, -(2n ** 40n)];
    const shares = splitNumbers(field, scheme, toBytes(values.map(modulo)));
    const chosen = Array.from({ length: threshold + 1 }, (_, i) => entities - i);
    const parts = chosen.map((entity) => ({ entity, shares: field.load(shares[entity - 1]) }));
    expect(fromBytes(field.bytes(reconstruct(field, scheme, parts, threshold, 'test'))).map(centred)).toEqual(values);
    expect(() => reconstruct(field, scheme, parts.slice(1), threshold, 'a secret')).toThrow(
      `opening of a secret: ${threshold + 1} entities must answer, got ${threshold}`,
    );
  });

  it('products are truncated to within a unit per set, without bias, as shares of degree t', async () => {
    const { parties, ledgers, dispose } = localEntities(scheme);
    const reals = Array.from({ length: 200 }, (_, i) => (i - 100) / 7);
    const [a, b] = [
      splitNumbers(field, scheme, toFixedPoint(reals, 'a')),
      splitNumbers(field, scheme, toFixedPoint(reals.toReversed(), 'b')),
    ];
    const shares = await Promise.all(
      parties.map(async (party) => {
        party.startStep(3);
        const product = party.field.temporary(reals.length);
        party.field.multiply(party.field.load(a[party.entity - 1]), party.field.load(b[party.entity - 1]), product);
        const [result] = await party.truncate([{ what: 'convolutions', numbers: product, shift: 24, bits: 60 }]);
        return result;
      }),
    );
    const got = valuesOf(scheme, parties, shares, threshold);
    const off = got.map((value, i) => Number(value) - reals[i] * reals[reals.length - 1 - i] * 2 ** 24);
    const most = scheme.sets.length / 2 + 20; // fixed point of the factors themselves costs up to 14 units
    for (const difference of off) expect(Math.abs(difference)).toBeLessThan(most);
    const mean = off.reduce((sum, value) => sum + value, 0) / off.length;
    expect(Math.abs(mean)).toBeLessThan(1.5);
    const maskBits = parties[0].maskBits(60);
    expect(ledgers[0].lines()).toEqual([
      { what: 'convolutions', to: 'entities', openings: 1, count: 200, firstStep: 3, lastStep: 3, maskBits },
    ]);
    expect(maskBits).toBeGreaterThanOrEqual(40);
    await dispose();
  });

  it('truncation is exact up to the sets for any numbers within its range', async () => {
    const { parties, dispose } = localEntities(scheme);
    let step = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.bigInt({ min: -(2n ** 75n) + 1n, max: 2n ** 75n - 1n }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 1, max: 60 }),
        async (values, shift) => {
          step++;
          const split = splitNumbers(field, scheme, toBytes(values.map(modulo)));
          const shares = await Promise.all(
            parties.map(async (party) => {
              party.startStep(step);
              const numbers = party.field.load(split[party.entity - 1]);
              return (await party.truncate([{ what: 'velocities', numbers, shift, bits: 75 }]))[0];
            }),
          );
          const got = valuesOf(scheme, parties, shares, threshold);
          got.forEach((value, i) => {
            const error = (value << BigInt(shift)) - values[i];
            const bound = (BigInt(scheme.sets.length + 1) << BigInt(shift)) / 2n;
            expect(error <= bound && error >= -bound, `${values[i]} by ${shift}: ${value}`).toBe(true);
          });
        },
      ),
      { numRuns: 15 },
    );
    await dispose();
  });

  it('the coordinator shares numbers and learns what is opened to it', async () => {
    const { parties, network, ledgers, dispose } = localEntities(scheme);
    const ledger = new Ledger();
    const options = {
      field,
      scheme,
      transport: network.transport(0),
      ledger,
      session: 'test',
      secret: new Uint8Array(32),
    };
    const desk = new CoordinatorDesk(options);
    const reals = [1.5, -2.25, 0, 1e-3];
    desk.share(0, 'numbers', toFixedPoint(reals, 'numbers'));
    for (const party of parties) {
      party.startStep(0);
      const numbers = party.field.load(await party.fromCoordinator('numbers'));
      const squares = party.field.temporary(4);
      party.field.multiply(numbers, numbers, squares);
      party.reveal('logits', squares, 20);
    }
    const opened = await desk.collect(0, 'logits', 4, 48);
    for (const [i, value] of reals.entries()) expect(opened[i]).toBeCloseTo(value * value, 5);
    for (const each of [ledger, ...ledgers]) {
      expect(each.lines()).toEqual([
        { what: 'logits', to: 'coordinator', openings: 1, count: 4, firstStep: 0, lastStep: 0 },
      ]);
    }
    await dispose();
  });
});

describe('wrong shares', () => {
  const open = (entities: number, liars: number[]) => {
    const scheme = new Scheme(1, entities);
    const shares = splitNumbers(field, scheme, toBytes([5n, 7n]));
    for (const liar of liars) shares[liar - 1][0] ^= 1;
    const parts = shares.map((bytes, i) => ({ entity: i + 1, shares: field.load(bytes) }));
    return () => fromBytes(field.bytes(reconstruct(field, scheme, parts, 2, 'logits')));
  };

  it('are named with two entities more than needed', () => {
    for (const liar of [1, 3, 5]) {
      expect(open(5, [liar])).toThrow(
        `opening of logits: shares of all entities must lie on one polynomial, but those of entity ${liar} do not`,
      );
    }
    expect(open(5, [])()).toEqual([5n, 7n]);
  });

  it('are noticed with one more, or when several lie, though not whose they are', () => {
    expect(open(4, [2])).toThrow(expect.objectContaining({ code: 'F3_SHARES_WRONG' }));
    expect(open(4, [2])).toThrow('4 entities are too few to tell whose are wrong');
    expect(open(5, [1, 2])).toThrow('too few to tell');
  });

  it('cannot be noticed with exactly as many as are needed', () => {
    expect(open(3, [2])()).not.toEqual([5n, 7n]);
  });
});

describe('bad input', () => {
  it('a scheme needs a threshold below half of the entities', () => {
    for (const [threshold, entities] of [
      [1, 2],
      [0, 3],
      [2, 4],
      [1.5, 9],
      [1, 20],
    ]) {
      expect(() => new Scheme(threshold, entities)).toThrow(expect.objectContaining({ code: 'F3_SHARES_SCHEME' }));
    }
    expect(() => new Scheme(1, 2)).toThrow(
      'sharing: needs a threshold of at least 1 and from 2·threshold + 1 to 13 entities, got threshold 1 of 2 entities',
    );
  });

  it('numbers out of range are refused before they are shared', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 70_000, -70_000]) {
      expect(() => toFixedPoint([0, value], 'bundle a')).toThrow(expect.objectContaining({ code: 'F3_SHARES_RANGE' }));
    }
    expect(() => toFixedPoint([0, 70_000], 'bundle a')).toThrow(
      'bundle a: must be finite and below 2^16 in magnitude to be shared, got 70000 (number 1)',
    );
  });

  it('fixed point gives back what it was given, to half a unit', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -65_535, max: 65_535, noNaN: true })), (values) => {
        const back = fromFixedPoint(toFixedPoint(values, 'x'), 24);
        for (const [i, value] of values.entries()) expect(Math.abs(back[i] - value)).toBeLessThanOrEqual(2 ** -25);
      }),
    );
  });

  const scheme = new Scheme(1, 3);

  it('numbers that outgrow their range are noticed when they are opened', async () => {
    const { parties, dispose } = localEntities(scheme);
    const split = splitNumbers(field, scheme, toBytes(Array.from({ length: 64 }, (_, i) => 2n ** 126n + BigInt(i))));
    const opened = parties.map((party) => {
      party.startStep(8);
      return party.truncate([
        { what: 'convolutions', numbers: party.field.load(split[party.entity - 1]), shift: 24, bits: 60 },
      ]);
    });
    const results = await Promise.allSettled(opened);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'F3_SHARES_OVERFLOW' } });
      expect(String((result as PromiseRejectedResult).reason.message)).toMatch(
        /^step 8, convolutions: numbers must be below 2\^60, \d+ of 64 are not$/,
      );
    }
    await dispose();
  });

  it('an opening that could not be masked by 40 bits is refused', async () => {
    const { parties, dispose } = localEntities(scheme);
    const numbers = parties[0].field.temporary(1);
    await expect(parties[0].truncate([{ what: 'velocities', numbers, shift: 24, bits: 84 }])).rejects.toThrow(
      expect.objectContaining({
        code: 'F3_SHARES_MASK',
        message: 'velocities: numbers of 84 bits must be masked by at least 40 bits, got 39',
      }),
    );
    await dispose();
  });

  it('an entity that is gone, a message of the wrong length and one that comes twice are reported', async () => {
    const { parties, network, dispose } = localEntities(scheme);
    const truncate = (party: (typeof parties)[0]) =>
      party.truncate([{ what: 'convolutions', numbers: party.field.load(toBytes([1n])), shift: 1, bits: 60 }]);
    const waiting = truncate(parties[0]);
    network.stop(3);
    await expect(waiting).rejects.toThrow(
      expect.objectContaining({ code: 'F3_SHARES_AWAY', message: 'entity 3: must answer, but it was stopped' }),
    );
    const second = network.transport(2);
    second.send(1, 'test 0 opening 1', new Uint8Array(5));
    network.transport(3).send(1, 'test 0 opening 1', new Uint8Array(16));
    await expect(truncate(parties[0])).rejects.toThrow('entity 2 must send 16 bytes, got 5');
    second.send(1, 'again', new Uint8Array(1));
    expect(() => second.send(1, 'again', new Uint8Array(1))).toThrow(
      expect.objectContaining({ code: 'F3_SHARES_MESSAGE' }),
    );
    await dispose();
  });

  it('a session needs enough entities, and a key for each set', () => {
    expect(() => localEntities(new Scheme(2, 7), { active: [1, 2, 3, 4] })).toThrow(
      expect.objectContaining({ code: 'F3_SHARES_MISSING', message: 'session test: 5 entities must take part, got 4' }),
    );
  });

  it('training goes on without entities that are away, if enough are left', async () => {
    const wide = new Scheme(1, 5);
    const { parties, dispose } = localEntities(wide, { active: [2, 3, 5] });
    const split = splitNumbers(field, wide, toBytes([1n << 30n]));
    const shares = await Promise.all(
      parties.map(async (party) => {
        const numbers = party.field.load(split[party.entity - 1]);
        return (await party.truncate([{ what: 'convolutions', numbers, shift: 10, bits: 60 }]))[0];
      }),
    );
    const [value] = valuesOf(wide, parties, shares, 1);
    expect(Math.abs(Number(value) - 2 ** 20)).toBeLessThanOrEqual(6);
    await dispose();
  });
});
