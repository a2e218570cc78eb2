// The entities of a federation on shares and the ledger of openings, as `f3 federation show` prints them.
import type { FederationShares, ListedEntity, ListedOpening } from '../../exchange/messages.ts';
import { indented, type TextColumn, tableLines } from '../terminal/table.ts';

export const entityColumns: TextColumn<ListedEntity>[] = [
  { title: 'entity', cell: ({ entity }) => entity },
  { title: 'address', cell: ({ url, keyId }) => `${url}#${keyId}` },
  { title: 'state', cell: ({ state, detail }) => (detail ? `${state}: ${detail}` : state) },
  { title: 'bundles', cell: ({ shares }) => shares },
];

const openingColumns: TextColumn<ListedOpening>[] = [
  { title: 'opened', cell: ({ what }) => what },
  { title: 'to', cell: ({ to }) => to },
  { title: 'times', cell: ({ openings }) => openings },
  { title: 'numbers', cell: ({ count }) => count },
  { title: 'bits of mask', cell: ({ maskBits }) => maskBits },
  { title: 'what', cell: ({ meaning }) => meaning },
];

export function entitiesSection({ fingerprint, charter, entities, ledger = [] }: FederationShares): string[] {
  const { threshold, entities: listed } = charter as { threshold?: number; entities?: unknown[] };
  return [
    '',
    `entities: ${threshold} of the ${listed?.length} together learn nothing`,
    `  charter ${fingerprint}`,
    ...(entities ? indented(tableLines(entityColumns, entities)) : []),
    ...(ledger.length > 0
      ? ['', 'opened so far, and nothing else (docs/threat-model.md)', ...indented(tableLines(openingColumns, ledger))]
      : []),
  ];
}
