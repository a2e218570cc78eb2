// The table of `f3 demo --on-shares` that says who could have read what, from the ledger and from what was tried.
import type { ListedOpening } from '../../exchange/messages.ts';
import { COORDINATOR_NAME, type DemoReader, OWNER } from './demo-readers.ts';
import type { DemoSharesResult } from './demo-shares-result.ts';

export const READING_HEAD = ['who', 'was told', 'shares of a number', 'embeddings it could read'];

type Facts = Pick<DemoSharesResult, 'reading' | 'ledger' | 'threshold' | 'owners'>;

/** A row per party, then per two parties that put together what they have; twos that differ in the entity only, and fare alike, share a row. */
export function readingRows({ reading, ledger, owners }: Facts): string[][] {
  const rows = reading.readers.map((reader) => [
    ...(reader.parties.length === 1
      ? [reader.parties[0], toldOf(reader.parties[0], ledger)]
      : [anyTwo(reader.parties), 'what both were told']),
    String(reader.shares),
    readText(reader, reading.numbers, owners),
  ]);
  const isNew = (row: string[], at: number) => rows.findIndex((other) => other.join() === row.join()) === at;
  return rows.filter(isNew);
}

function anyTwo(parties: readonly string[]): string {
  const others = parties.filter((party) => !isEntity(party));
  if (others.length === 2) return others.join(' and ');
  return others.length === 1 ? `${others[0]} and any entity` : 'any two entities';
}

const isEntity = (party: string): boolean => party.startsWith('entity ');

/** What the ledger says that a party has learned. */
function toldOf(party: string, ledger: readonly ListedOpening[]): string {
  if (party === OWNER) return 'answers';
  const to = party === COORDINATOR_NAME ? 'coordinator' : 'entities';
  const lines = ledger.filter((line) => line.to === to);
  const numbers = lines.reduce((sum, { count }) => sum + count, 0);
  if (to === 'coordinator') return `${grouped(numbers)} numbers: ${lines.map(({ what }) => what).join(', ')}`;
  const bits = Math.min(...lines.flatMap(({ maskBits }) => maskBits ?? []));
  return `${grouped(numbers)} masked numbers, ≥ ${bits} bits`;
}

function readText({ own, read, shares }: DemoReader, numbers: number, owners: number): string {
  const theirs = own === 0 ? '' : own === 1 ? 'the owner’s own' : 'their own';
  if (read === 0) {
    const tried = shares === 0 ? '' : ` (tried: 0 of ${grouped(numbers)} numbers)`;
    return theirs === '' ? `none${tried}` : `${theirs} only${tried}`;
  }
  const extent = read === numbers ? `ALL of ${owners} owners` : 'some';
  return `${extent} (${grouped(read)} of ${grouped(numbers)} numbers)`;
}

export const grouped = (value: number): string => value.toLocaleString('en-US');

/** What the table comes to, and where it ends. */
export function readingSentences({ threshold, ledger }: Facts): string[] {
  const opened = ledger.filter(({ to }) => to === 'coordinator').map(({ what }) => what);
  return [
    `No single party, and neither the coordinator with an entity nor owners with anybody, could read another owner’s embedding. ` +
      `${threshold + 1} entities that put their shares together read everything, so entities must be run by parties that would not.`,
    `The coordinator learned ${opened.join(' and ')}, and holds labels and sample ids. Entities learned no label and no sample id.`,
    'Here all processes ran on one machine under one user, who could read all folders. In earnest each entity has a machine of its own.',
  ];
}
