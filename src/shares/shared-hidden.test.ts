// The kernels behind the hidden layer on shares, against the same in BigInt.
import { afterAll, describe, expect, it } from 'vitest';
import fc from '../../test/support/seeded-fast-check.ts';
import { Engine } from '../core/engine/engine.ts';
import { fromBytes, modulo, PRIME, toBytes } from '../core/reference/field.ts';
import { Field, type Numbers } from './field.ts';

const number = fc.bigInt({ min: 0n, max: PRIME - 1n });
const numbers = (count: number) => fc.array(number, { minLength: count, maxLength: count });
const whole = (count: number) =>
  fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: count, maxLength: count });
const [N, B, H] = [3, 4, 2];
const OWNERS = N * B * H;
const RUNS = { numRuns: 30 };

describe.each(['simd', 'relaxed'] as const)('the hidden layer on shares, %s kernels', (build) => {
  const engine = new Engine({ threads: 2, build });
  const field = new Field(engine);
  afterAll(() => engine.dispose());
  const load = (values: bigint[]) => field.load(toBytes(values)).address;
  const read = (values: Numbers) => fromBytes(field.bytes(values));
  const at = (i: number, b: number, k: number) => (i * B + b) * H + k;
  const everyBK = (value: (b: number, k: number) => bigint) =>
    Array.from({ length: B * H }, (_, x) => modulo(value(Math.floor(x / H), x % H)));
  const sum = (count: number, value: (i: number) => bigint) =>
    Array.from({ length: count }, (_, i) => value(i)).reduce((a, b) => a + b, 0n);

  it('adds a bias to every sample of every owner', () => {
    fc.assert(
      fc.property(numbers(OWNERS), numbers(H), (z, bias) => {
        field.reset();
        const out = field.temporary(OWNERS);
        engine.run('sharedAddBias', N, B, H, load(z), load(bias), out.address);
        expect(read(out)).toEqual(z.map((value, i) => modulo(value + bias[i % H])));
      }),
      RUNS,
    );
  });

  it.each([0, N])('pools Σ w·z·(z + 2) over owners, %i weights between samples', (step) => {
    fc.assert(
      fc.property(numbers(OWNERS), whole(step === 0 ? N : B * N), number, (z, w, two) => {
        field.reset();
        const out = field.temporary(B * H);
        const weights = field.integers(Int32Array.from(w));
        const scratch = field.temporary(B).address;
        engine.run('sharedPool', B, N, B, H, weights, step, load(z), load([two]), out.address, scratch);
        const term = (i: number, b: number, k: number) =>
          BigInt(w[b * step + i]) * z[at(i, b, k)] * (z[at(i, b, k)] + two);
        expect(read(out)).toEqual(everyBK((b, k) => sum(N, (i) => term(i, b, k))));
      }),
      RUNS,
    );
  });

  it('passes w·(z + 1)·dp back to every owner, and Σ z·(u·dz + v·dp) to its weight', () => {
    fc.assert(
      fc.property(
        numbers(OWNERS),
        numbers(OWNERS),
        numbers(B * H),
        whole(B * N),
        whole(B * N),
        number,
        (z, dz, dp, u, v, one) => {
          field.reset();
          const out = field.temporary(OWNERS);
          const [uAt, vAt] = [field.integers(Int32Array.from(u)), field.integers(Int32Array.from(v))];
          engine.run('sharedHiddenGradient', N, N, B, H, uAt, N, load(z), load([one]), load(dp), out.address);
          expect(read(out)).toEqual(
            z.map((value, x) => {
              const [i, b, k] = [Math.floor(x / (B * H)), Math.floor(x / H) % B, x % H];
              return modulo(BigInt(u[b * N + i]) * (value + one) * dp[b * H + k]);
            }),
          );
          const weights = field.temporary(B * N);
          const scratch = field.temporary(2 * N).address;
          engine.run(
            'sharedPoolingGradient',
            N,
            N,
            B,
            H,
            uAt,
            vAt,
            N,
            load(z),
            load(dz),
            load(dp),
            weights.address,
            scratch,
          );
          const wanted = Array.from({ length: B * N }, (_, x) => {
            const [b, i] = [Math.floor(x / N), x % N];
            return modulo(
              sum(H, (k) => z[at(i, b, k)] * (BigInt(u[x]) * dz[at(i, b, k)] + BigInt(v[x]) * dp[b * H + k])),
            );
          });
          expect(read(weights)).toEqual(wanted);
        },
      ),
      RUNS,
    );
  });

  it('pools a quadratic form, Σ x·(u + g), and sums rows', () => {
    fc.assert(
      fc.property(numbers(OWNERS), numbers(OWNERS), numbers(N), (x, u, g) => {
        field.reset();
        const out = field.temporary(B * H);
        const scratch = field.temporary(B).address;
        engine.run('sharedPoolQuadratic', B, N, B, H, load(x), load(u), load(g), out.address, scratch);
        expect(read(out)).toEqual(everyBK((b, k) => sum(N, (i) => x[at(i, b, k)] * (u[at(i, b, k)] + g[i]))));
        const rows = field.temporary(H);
        engine.kernels.fieldSumRows(N * B, H, load(x), rows.address);
        expect(read(rows)).toEqual([0, 1].map((k) => modulo(sum(N * B, (r) => x[r * H + k]))));
      }),
      RUNS,
    );
  });

  it.each([0, N])(
    'leads from the gradient of the normalised graph to that of the edges, %i numbers per row of E',
    (eRow) => {
      fc.assert(
        fc.property(
          numbers(N * N),
          numbers(eRow === 0 ? N : N * N),
          whole(N * N),
          whole(N * N),
          number,
          (s, e, p, q, factor) => {
            field.reset();
            const out = field.temporary((N * (N - 1)) / 2);
            const scratch = field.temporary(N + 1);
            const factors = [
              field.integers(Int32Array.from(p)),
              field.integers(Int32Array.from(q)),
              load([factor]),
            ] as const;
            const last = field.part(scratch, N, 1).address;
            engine.kernels.sharedEdgeGradient(
              N,
              ...factors,
              load(s),
              load(e),
              eRow,
              scratch.address,
              out.address,
              last,
            );
            const both = (i: number, j: number) =>
              s[Math.min(i, j) * N + Math.max(i, j)] * factor + e[i * eRow + j] + e[j * eRow + i];
            const total = (i: number) => sum(N, (j) => BigInt(q[i * N + j]) * both(i, j));
            const pairs = [
              [0, 1],
              [0, 2],
              [1, 2],
            ];
            expect(read(out)).toEqual(
              pairs.map(([i, j]) => modulo(BigInt(p[i * N + j]) * both(i, j) - total(i) - total(j))),
            );
          },
        ),
        RUNS,
      );
    },
  );
});
