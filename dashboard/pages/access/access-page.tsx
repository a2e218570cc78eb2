// Who may predict, how much is taken, and, where a federation computes on shares, its entities and the ledger of openings.
import type { JSX } from 'preact';
import type { ListedToken } from '../../../src/exchange/messages.ts';
import type { QuotaUsage } from '../../../src/exchange/quotas.ts';
import { ask, inFederation } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Command } from '../../parts/copy-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Notice, WhenLoaded } from '../../parts/notice.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Time } from '../../words/times.tsx';
import { QuotaTable } from './quota-table.tsx';
import { SharesPanel } from './shares-panel.tsx';

export function AccessPage({ federation }: { federation: string }): JSX.Element {
  const quotas = useLoaded<{ quotas: QuotaUsage[] }>(inFederation(federation, 'quotas'), { every: 15_000 });
  return (
    <>
      <PageHead title="Access and quotas">
        Who may predict in {federation}, and how much of the coordinator it takes.
      </PageHead>
      <TokensPanel federation={federation} />
      <Panel title="Quotas" remark="Quotas per member show the member that has taken the most.">
        <WhenLoaded loaded={quotas} what="quotas">
          {(data) => <QuotaTable quotas={data.quotas} />}
        </WhenLoaded>
      </Panel>
      <SharesPanel federation={federation} />
    </>
  );
}

function TokensPanel({ federation }: { federation: string }): JSX.Element {
  const tokens = useLoaded<{ tokens: ListedToken[] }>(inFederation(federation, 'tokens'), { every: 15_000 });
  const revoke = async ({ id }: ListedToken): Promise<void> => {
    await ask(inFederation(federation, 'tokens', id, 'revoke'), { method: 'POST' });
    tokens.reload();
  };
  const line = `f3 token create ${federation} --name control-room`;
  return (
    <Panel
      title="Inference tokens"
      remark="A token may predict in this federation and nothing else. Its secret is shown once, in the terminal that makes it."
    >
      <WhenLoaded loaded={tokens} what="tokens">
        {(data) => (
          <DataTable
            caption="Inference tokens that are not revoked"
            rows={data.tokens}
            keyOf={({ id }) => id}
            textOf={({ name, createdBy }) => `${name} ${createdBy}`}
            empty={
              <Notice title="No program may predict with a token yet">
                <p>Make one for a program that cannot sign requests:</p>
                <Command line={line} />
              </Notice>
            }
            columns={[
              { name: 'Name', cell: ({ name }) => name, by: ({ name }) => name, isName: true },
              { name: 'Made by', cell: ({ createdBy }) => createdBy, by: ({ createdBy }) => createdBy },
              { name: 'Made', cell: ({ created }) => <Time at={created} />, by: ({ created }) => created },
              {
                name: 'Last used',
                cell: ({ lastUsed }) => (lastUsed ? <Time at={lastUsed} /> : 'never'),
                by: ({ lastUsed }) => lastUsed,
              },
              {
                name: 'Ends',
                cell: ({ expires, expired }) =>
                  expired ? <Badge tone="warn">expired</Badge> : expires ? <Time at={expires} /> : 'never',
                by: ({ expires }) => expires,
              },
              {
                name: 'Action',
                cell: (token) => (
                  <ActButton
                    class="small"
                    act={() => revoke(token)}
                    confirm={`Revoke ${token.name} for good?`}
                    label={`Revoke ${token.name}`}
                  >
                    Revoke
                  </ActButton>
                ),
              },
            ]}
          />
        )}
      </WhenLoaded>
    </Panel>
  );
}
