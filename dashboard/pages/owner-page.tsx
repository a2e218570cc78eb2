// What an owner sees: its own entry, what it has sent and did for privacy, and its share of the quotas. Nothing can be changed here.
import type { JSX } from 'preact';
import type { FederationStatus } from '../../src/exchange/messages.ts';
import { inFederation } from '../coordinator/request.ts';
import { useLoaded } from '../coordinator/use-loaded.ts';
import { Command } from '../parts/copy-button.tsx';
import { Notice, WhenLoaded } from '../parts/notice.tsx';
import { type Fact, Facts, PageHead, Panel } from '../parts/panel.tsx';
import { counted, shownCount } from '../words/numbers.ts';
import { Time } from '../words/times.tsx';
import { QuotaTable } from './access/quota-table.tsx';
import { ownerFacts } from './overview/owner-facts.ts';

const RELOAD_MS = 10_000;

export function OwnerPage({ federation }: { federation: string }): JSX.Element {
  const status = useLoaded<FederationStatus>(inFederation(federation), { every: RELOAD_MS });
  return (
    <>
      <PageHead title={federation}>
        {status.data?.counts &&
          `You are one of ${counted(status.data.counts.owners, 'owner')}. You see your own entry, and so does nobody else but operators and label holders.`}
      </PageHead>
      <WhenLoaded loaded={status} what="your entry">
        {(data) => (
          <>
            <OwnEntry status={data} />
            {data.quotas && data.quotas.length > 0 && (
              <Panel title="Your share of the quotas">
                <QuotaTable quotas={data.quotas} />
              </Panel>
            )}
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function OwnEntry({ status }: { status: FederationStatus }): JSX.Element {
  const [own] = ownerFacts(status.owners, undefined);
  if (!own || own.version === null) {
    return (
      <Notice title="You have not sent a bundle yet">
        <p>Training leaves you out until you do:</p>
        <Command line="f3 owner push bundle.arrow" />
      </Notice>
    );
  }
  const facts: Fact[] = [
    { name: 'Bundle that counts', value: `version ${own.version}`, remark: <Time at={own.received} /> },
    { name: 'Samples', value: own.samples === null ? '–' : shownCount(own.samples) },
    { name: 'Width of an embedding', value: own.width === null ? '–' : `${own.width} numbers` },
    {
      name: 'Place',
      value: <span class="long">{own.place ?? 'not told'}</span>,
      remark: 'for operators and label holders',
    },
    { name: 'Model that answers', value: status.activeModel ? `model ${status.activeModel}` : 'none yet' },
  ];
  return (
    <Panel title={own.owner} remark={`Privacy applied, as your bundle states: ${own.privacy ?? 'not stated'}.`}>
      <Facts facts={facts} />
      <p>
        A newer bundle replaces this one for the next training. To see or delete versions:{' '}
        <Command line="f3 owner bundles" />
      </p>
      <p>
        {own.place ? 'To take back where you are: ' : 'To stand on the operator’s map, if you wish: '}
        <Command line={own.place ? 'f3 owner place --forget' : 'f3 owner place --at LATITUDE,LONGITUDE'} />
      </p>
    </Panel>
  );
}
