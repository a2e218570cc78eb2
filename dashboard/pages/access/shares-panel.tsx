// Fusion on shares: the entities and how they stand, and the ledger of numbers that were opened. Hidden where there is none.
import type { JSX } from 'preact';
import type { FederationShares } from '../../../src/exchange/messages/shares.ts';
import type { FederationStatus } from '../../../src/exchange/messages.ts';
import { inFederation } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Notice, WhenLoaded } from '../../parts/notice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { shownCount } from '../../words/numbers.ts';

export function SharesPanel({ federation }: { federation: string }): JSX.Element | null {
  const { data: status } = useLoaded<FederationStatus>(inFederation(federation));
  const isOnShares = typeof status?.charter === 'string';
  const shares = useLoaded<FederationShares>(isOnShares ? `${inFederation(federation, 'shares')}?check=yes` : null);
  if (!isOnShares) return null;
  return (
    <>
      <Panel
        title="Entities"
        remark="Each entity holds one share of every number. All members must see the same fingerprint of the charter."
      >
        <WhenLoaded loaded={shares} what="how the entities stand">
          {({ fingerprint, entities = [] }) => (
            <>
              <p>
                <code>{fingerprint}</code> <CopyButton text={fingerprint} name="Copy the fingerprint" />
              </p>
              <DataTable
                caption="Entities that hold shares"
                rows={entities}
                keyOf={({ entity }) => entity}
                columns={[
                  { name: 'Entity', cell: ({ entity }) => `entity ${entity}`, isName: true },
                  { name: 'Address', cell: ({ url }) => url },
                  {
                    name: 'State',
                    cell: ({ state }) => <Badge tone={state === 'ready' ? 'good' : 'warn'}>{state}</Badge>,
                  },
                  { name: 'Remark', cell: ({ detail }) => detail ?? '–' },
                  { name: 'Bundles', cell: ({ shares: held }) => shownCount(held), isNumber: true },
                ]}
              />
            </>
          )}
        </WhenLoaded>
      </Panel>
      {shares.data && <Ledger lines={shares.data.ledger ?? []} />}
    </>
  );
}

function Ledger({ lines }: { lines: NonNullable<FederationShares['ledger']> }): JSX.Element {
  return (
    <Panel title="Ledger of openings" remark="An opening is the only way in which a shared number becomes known.">
      <DataTable
        caption="Numbers that were opened, by kind"
        rows={lines}
        keyOf={({ what }) => what}
        empty={<Notice title="Nothing was opened yet">The first training or prediction on shares writes here.</Notice>}
        columns={[
          { name: 'What', cell: ({ what }) => what, isName: true },
          { name: 'Meaning', cell: ({ meaning }) => meaning },
          { name: 'Known to', cell: ({ to }) => (to === 'entities' ? 'all entities, masked' : 'the coordinator') },
          { name: 'Openings', cell: ({ openings }) => shownCount(openings), isNumber: true },
          { name: 'Numbers', cell: ({ count }) => shownCount(count), isNumber: true },
          { name: 'Bits of masking', cell: ({ maskBits }) => maskBits ?? '–', isNumber: true },
        ]}
      />
    </Panel>
  );
}
