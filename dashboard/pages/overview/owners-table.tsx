// Owners as a table: what each has sent, how much of it has labels, what it did for privacy, when it was seen.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Overlap } from '../../../src/exchange/messages/overlap.ts';
import type { ListedOwner } from '../../../src/exchange/messages.ts';
import { Badge, ShareBar } from '../../parts/badge.tsx';
import { Command } from '../../parts/copy-button.tsx';
import { type Column, DASH, DataTable } from '../../parts/data-table.tsx';
import { Notice } from '../../parts/notice.tsx';
import { shownCount, shownShare } from '../../words/numbers.ts';
import { Time } from '../../words/times.tsx';
import { type OwnerFacts, ownerFacts } from './owner-facts.ts';

const count = (value: number | null): JSX.Element | string => (value === null ? DASH : shownCount(value));

const COLUMNS: Column<OwnerFacts>[] = [
  { name: 'Owner', cell: ({ owner }) => owner, by: ({ owner }) => owner, isName: true },
  {
    name: 'Bundle',
    cell: ({ version }) => (version === null ? <Badge tone="warn">not sent</Badge> : `version ${version}`),
    by: ({ version }) => version,
  },
  { name: 'Samples', cell: ({ samples }) => count(samples), by: ({ samples }) => samples, isNumber: true },
  {
    name: 'With label',
    says: 'How many of its samples have a label. All but the label holder are told this roughly',
    cell: ({ labelled, samples }) =>
      labelled === null || !samples ? (
        DASH
      ) : (
        <ShareBar share={labelled / samples} tone={labelled === 0 ? 'bad' : 'plain'}>
          {shownShare(labelled / samples)}
        </ShareBar>
      ),
    by: ({ labelled, samples }) => (labelled === null || !samples ? null : labelled / samples),
    isNumber: true,
  },
  {
    name: 'Width',
    says: 'Numbers of one embedding',
    cell: ({ width }) => count(width),
    by: ({ width }) => width,
    isNumber: true,
  },
  {
    name: 'Privacy applied',
    says: 'What the owner states it did about what its bundle gives away',
    cell: ({ privacy }) => privacy ?? DASH,
    by: ({ privacy }) => privacy,
  },
  {
    name: 'Place',
    says: 'Where it is, as it told itself',
    cell: ({ place }) => place ?? DASH,
    by: ({ place }) => place,
  },
  { name: 'Sent', cell: ({ received }) => (received ? <Time at={received} /> : DASH), by: ({ received }) => received },
  { name: 'Last seen', cell: ({ lastSeen }) => <Time at={lastSeen} />, by: ({ lastSeen }) => lastSeen },
];

/** Columns that are there if an owner has something to show in them. */
const OPTIONAL: Record<string, (facts: OwnerFacts) => unknown> = {
  Place: ({ place }) => place,
  'Last seen': ({ lastSeen }) => lastSeen,
};

interface OwnersTableProps {
  owners: ListedOwner[];
  overlap: Overlap | undefined;
  federation: string;
}

export function OwnersTable({ owners, overlap, federation }: OwnersTableProps): JSX.Element {
  const facts = useMemo(() => ownerFacts(owners, overlap), [owners, overlap]);
  return (
    <DataTable
      caption={`Owners of ${federation}`}
      rows={facts}
      keyOf={({ owner }) => owner}
      textOf={({ owner, privacy }) => `${owner} ${privacy ?? ''}`}
      sort="Owner"
      perPage={15}
      columns={COLUMNS.filter(({ name }) => !(name in OPTIONAL) || facts.some(OPTIONAL[name]))}
      empty={
        <Notice title="No owner has joined yet">
          <p>Invite one below, or from the command line; it joins with the code:</p>
          <Command line={`f3 owner invite ${federation} plant-7`} />
        </Notice>
      }
    />
  );
}
