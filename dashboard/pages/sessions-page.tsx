// Sessions that are open: whose, since when, from where; each can be ended.
import type { JSX } from 'preact';
import type { ListedSession } from '../../src/exchange/messages/sessions.ts';
import { ask } from '../coordinator/request.ts';
import { useLoaded } from '../coordinator/use-loaded.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Badge } from '../parts/badge.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { roleWord } from '../parts/menu.tsx';
import { WhenLoaded } from '../parts/notice.tsx';
import { PageHead } from '../parts/panel.tsx';
import { isSignedIn, session, signOut } from '../session.ts';
import { shownSpan } from '../words/numbers.ts';
import { Time } from '../words/times.tsx';

const RELOAD_MS = 15_000;

export function SessionsPage(): JSX.Element {
  const who = session.value;
  const loaded = useLoaded<{ sessions: ListedSession[] }>('/v1/sessions', { every: RELOAD_MS });
  const end = async ({ id, current }: ListedSession): Promise<void> => {
    if (current) return signOut();
    await ask(`/v1/sessions/${id}/revoke`, { method: 'POST' });
    loaded.reload();
  };
  return (
    <>
      <PageHead title="Sessions">
        {isSignedIn(who) && (
          <>
            Yours ends after {shownSpan(who.idleSeconds)} without use, and <Time at={who.expires} /> in any case. The
            coordinator runs f3 {who.version}.
          </>
        )}
      </PageHead>
      <WhenLoaded loaded={loaded} what="sessions">
        {({ sessions }) => (
          <DataTable
            caption="Open sessions of this page"
            rows={sessions}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Whose',
                cell: ({ owner, current }) => (
                  <>
                    {owner} {current && <Badge tone="good">this one</Badge>}
                  </>
                ),
                by: ({ owner }) => owner,
                isName: true,
              },
              { name: 'Role', cell: ({ role }) => roleWord(role), by: ({ role }) => role },
              { name: 'Federation', cell: ({ federation }) => federation ?? 'all' },
              { name: 'Opened', cell: ({ opened }) => <Time at={opened} />, by: ({ opened }) => opened },
              { name: 'Last used', cell: ({ lastUsed }) => <Time at={lastUsed} />, by: ({ lastUsed }) => lastUsed },
              { name: 'Ends', cell: ({ expires }) => <Time at={expires} />, by: ({ expires }) => expires },
              { name: 'From', cell: ({ address }) => address ?? '–' },
              {
                name: 'Action',
                cell: (one) => (
                  <ActButton
                    class="small"
                    act={() => end(one)}
                    confirm={one.current ? 'Log out here?' : `End this session of ${one.owner}?`}
                    label={one.current ? 'Log out' : `End the session of ${one.owner}`}
                  >
                    {one.current ? 'Log out' : 'End'}
                  </ActButton>
                ),
              },
            ]}
          />
        )}
      </WhenLoaded>
    </>
  );
}
