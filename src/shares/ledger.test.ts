// Ledgers of several entities put together: what some of them opened while another was away counts once, and is not lost.
import { expect, it } from 'vitest';
import { Ledger, mergedLedger } from './ledger.ts';

const open = (ledger: Ledger, count: number, among?: number[]) =>
  ledger.record({ what: 'velocities', to: 'entities', count, step: 0, maskBits: 60 - count, among });

it('adds up openings among different entities, and counts those that several wrote down once', () => {
  const [a, b, c] = [new Ledger(), new Ledger(), new Ledger()];
  for (const ledger of [a, b, c]) open(ledger, 10);
  open(a, 4, [1, 2]);
  open(b, 4, [1, 2]);
  open(b, 3, [2, 3]);
  open(c, 3, [2, 3]);
  const kept = [a, b, c].map((ledger) => new Ledger(JSON.parse(JSON.stringify(ledger.lines()))).lines());
  expect(kept[1]).toHaveLength(3);
  expect(mergedLedger(kept)).toMatchObject([{ what: 'velocities', openings: 3, count: 17, maskBits: 50 }]);
  // An entity that was killed before it wrote its last line knows less than the others.
  expect(mergedLedger([kept[0], kept[1].slice(0, 1), kept[2]])).toMatchObject([{ openings: 3, count: 17 }]);
});
