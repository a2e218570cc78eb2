// All federations of the coordinator, for its operators.
import type { JSX } from 'preact';
import type { ListedFederation } from '../../src/exchange/messages.ts';
import { useLoaded } from '../coordinator/use-loaded.ts';
import { Badge } from '../parts/badge.tsx';
import { Command } from '../parts/copy-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Notice, WhenLoaded } from '../parts/notice.tsx';
import { PageHead } from '../parts/panel.tsx';
import { linkTo } from '../route.ts';
import { counted } from '../words/numbers.ts';
import { Time } from '../words/times.tsx';

const RELOAD_MS = 10_000;

export function FederationsPage(): JSX.Element {
  const loaded = useLoaded<{ federations: ListedFederation[] }>('/v1/federations', { every: RELOAD_MS });
  return (
    <>
      <PageHead title="Federations">
        {loaded.data && `${counted(loaded.data.federations.length, 'federation')} on this coordinator.`}
      </PageHead>
      <WhenLoaded loaded={loaded} what="federations">
        {({ federations }) => (
          <DataTable
            caption="Federations of this coordinator"
            rows={federations}
            keyOf={({ name }) => name}
            textOf={({ name }) => name}
            sort="Federation"
            empty={
              <Notice title="There is no federation yet">
                <p>Make one, then invite owners to it:</p>
                <Command line="f3 federation create grid" />
              </Notice>
            }
            columns={[
              {
                name: 'Federation',
                cell: ({ name }) => <a href={linkTo(name, 'overview')}>{name}</a>,
                by: ({ name }) => name,
                isName: true,
              },
              {
                name: 'Answers',
                cell: ({ activeModel }) =>
                  activeModel ? <Badge tone="good">{`model ${activeModel}`}</Badge> : <Badge>no model yet</Badge>,
                by: ({ activeModel }) => activeModel,
              },
              { name: 'Classes', cell: ({ classes }) => classes?.join(', ') ?? 'as the labels say' },
              { name: 'Made', cell: ({ created }) => <Time at={created} />, by: ({ created }) => created },
            ]}
          />
        )}
      </WhenLoaded>
    </>
  );
}
