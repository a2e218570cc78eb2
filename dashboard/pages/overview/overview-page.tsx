// A federation at a glance: readiness, owners, invitations, and which samples the owners have in common.
import type { JSX } from 'preact';
import type { Overlap } from '../../../src/exchange/messages/overlap.ts';
import type { FederationStatus } from '../../../src/exchange/messages.ts';
import { inFederation } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { WhenLoaded } from '../../parts/notice.tsx';
import { type Fact, Facts, PageHead, Panel } from '../../parts/panel.tsx';
import { linkTo } from '../../route.ts';
import { isSignedIn, session } from '../../session.ts';
import { shownCount } from '../../words/numbers.ts';
import { readinessOf } from '../../words/readiness.ts';
import { Time } from '../../words/times.tsx';
import { InvitationsPanel } from './invitations-panel.tsx';
import { OverlapPanel } from './overlap-panel.tsx';
import { OwnerStrip } from './owner-strip.tsx';
import { OwnersTable } from './owners-table.tsx';

const RELOAD_MS = 5000;

export function OverviewPage({ federation }: { federation: string }): JSX.Element {
  const status = useLoaded<FederationStatus>(inFederation(federation), { every: RELOAD_MS });
  // Overlaps change when somebody sends, so they are asked for again when the versions of bundles and labels change.
  const sent = status.data && sendings(status.data);
  const overlap = useLoaded<Overlap>(sent ? inFederation(federation, 'overlap') : null, { since: sent ?? '' });
  const who = session.value;
  return (
    <>
      <PageHead title={federation}>
        {status.data && <Readiness status={status.data} federation={federation} />}
      </PageHead>
      <WhenLoaded loaded={status} what="the federation">
        {(data) => (
          <>
            <Facts facts={factsOf(data, overlap.data)} />
            <Panel title="Owners">
              <OwnerStrip owners={data.owners} overlap={overlap.data} />
              <OwnersTable owners={data.owners} overlap={overlap.data} federation={federation} />
            </Panel>
            {typeof data.charter === 'string' && (
              <p class="remark" data-test="on-shares">
                On shares: nobody here holds embeddings.{' '}
                <a href={linkTo(federation, 'access')}>The entities, how they stand, and everything that was opened</a>.
              </p>
            )}
            {sent && <OverlapPanel loaded={overlap} />}
            {isSignedIn(who) && who.role === 'operator' && (
              <InvitationsPanel federation={federation} invitations={data.invitations ?? []} onChange={status.reload} />
            )}
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function Readiness({ status, federation }: { status: FederationStatus; federation: string }): JSX.Element {
  const { isReady, sentence, next } = readinessOf(status);
  return (
    <span data-test="readiness">
      {sentence} {isReady ? <a href={linkTo(federation, 'training')}>{next}</a> : next}
    </span>
  );
}

function factsOf({ owners, activeModel, labelHolders = [], models = [] }: FederationStatus, overlap?: Overlap): Fact[] {
  const sent = owners.filter(({ bundle }) => bundle).length;
  const holder = labelHolders.find(({ labels }) => labels);
  const active = models.find(({ version }) => version === activeModel) as { created?: string } | undefined;
  return [
    { name: 'Owners', value: shownCount(owners.length), remark: `${shownCount(sent)} have sent` },
    {
      name: 'Labels',
      value: holder?.labels ? `version ${holder.labels.version}` : 'none',
      remark: holder ? `from ${holder.owner}` : 'nobody has sent any',
    },
    {
      name: 'Samples',
      value: overlap ? shownCount(overlap.all) : '–',
      remark:
        overlap?.allLabelled != null ? `${shownCount(overlap.allLabelled)} with a label` : 'seen by at least one owner',
    },
    {
      name: 'Answers',
      value: activeModel ? `model ${activeModel}` : 'no model',
      remark: active?.created ? <Time at={active.created} /> : `${shownCount(models.length)} trained`,
    },
  ];
}

const sendings = ({ owners, counts }: FederationStatus): string | null => {
  const versions = owners.map(({ bundle }) => bundle?.version ?? 0);
  const total = versions.reduce((sum, version) => sum + version, 0);
  return total === 0 ? null : `${versions.filter(Boolean).length}-${total}-${counts?.labels ?? 0}`;
};
