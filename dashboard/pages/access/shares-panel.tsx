// Fusion on shares: the entities, their state, and the ledger of numbers that were opened. Hidden where there is none.
import type { JSX } from 'preact';
import { inFederation } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { Badge } from '../../parts/badge.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { shownCount } from '../../words/numbers.ts';
import { Time } from '../../words/times.tsx';

interface Shares {
  entities?: { name: string; url?: string; state?: string; lastSeen?: string | null }[];
  ledger?: { at?: string; purpose: string; to?: string; values: number }[];
}

export function SharesPanel({ federation }: { federation: string }): JSX.Element | null {
  const { data } = useLoaded<Shares>(inFederation(federation, 'shares'));
  if (!data) return null;
  return (
    <Panel title="Shares" remark="Each entity holds one share of every number; what was opened stands in the ledger.">
      <DataTable
        caption="Entities that hold shares"
        rows={data.entities ?? []}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Entity', cell: ({ name }) => name, isName: true },
          { name: 'Address', cell: ({ url }) => url ?? '–' },
          {
            name: 'State',
            cell: ({ state = 'unknown' }) => <Badge tone={state === 'ready' ? 'good' : 'warn'}>{state}</Badge>,
          },
          { name: 'Last seen', cell: ({ lastSeen }) => <Time at={lastSeen} /> },
        ]}
      />
      <DataTable
        caption="Ledger of openings"
        rows={data.ledger ?? []}
        keyOf={({ at, purpose }) => `${at} ${purpose}`}
        columns={[
          { name: 'Purpose', cell: ({ purpose }) => purpose, isName: true },
          { name: 'To', cell: ({ to }) => to ?? '–' },
          { name: 'Numbers', cell: ({ values }) => shownCount(values), by: ({ values }) => values, isNumber: true },
          { name: 'When', cell: ({ at }) => <Time at={at} />, by: ({ at }) => at },
        ]}
      />
    </Panel>
  );
}
