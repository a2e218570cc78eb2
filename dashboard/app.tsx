// The page's frame: a bar when the coordinator is away, the menu, and the page that the address names.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AccessPage } from './pages/access/access-page.tsx';
import { AuditPage } from './pages/audit-page.tsx';
import { FederationsPage } from './pages/federations-page.tsx';
import { GraphPage } from './pages/graph/graph-page.tsx';
import { LivePage } from './pages/live/live-page.tsx';
import { ModelsPage } from './pages/models/models-page.tsx';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { OwnerPage } from './pages/owner-page.tsx';
import { SessionsPage } from './pages/sessions-page.tsx';
import { SignInPage } from './pages/sign-in-page.tsx';
import { TrainingPage } from './pages/training/training-page.tsx';
import { WhatIfPage } from './pages/what-if/what-if-page.tsx';
import { ConnectionBar } from './parts/connection-bar.tsx';
import { Menu } from './parts/menu.tsx';
import { Notice } from './parts/notice.tsx';
import { goTo, linkTo, type Route, route } from './route.ts';
import { isSignedIn, session } from './session.ts';

export function App(): JSX.Element {
  const who = session.value;
  const where = route.value;
  const main = useRef<HTMLElement>(null);
  const place = 'federation' in where ? `${where.federation}/${where.page}` : where.page;
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = titleOf(where);
    // After a change of page a reader's next key press begins at the page's content, as after a real navigation.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
    scrollTo(0, 0);
  }, [place]);
  const own = isSignedIn(who) ? who.federation : null;
  useEffect(() => {
    // Members of one federation have no list of federations.
    if (own !== null && where.page === 'federations') goTo(linkTo(own, 'overview'));
  }, [own, where.page]);
  if (!isSignedIn(who)) {
    return (
      <>
        <ConnectionBar />
        <SignInPage absence={who} />
      </>
    );
  }
  return (
    <>
      <a class="skip" href={location.hash || '#/'} onClick={(event) => skipTo(event, main.current)}>
        Skip to the content
      </a>
      <ConnectionBar />
      <div class="layout">
        <Menu session={who} />
        <main ref={main} tabIndex={-1}>
          <Page where={where} isOwner={who.role === 'owner'} />
        </main>
      </div>
    </>
  );
}

function skipTo(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

function Page({ where, isOwner }: { where: Route; isOwner: boolean }): JSX.Element {
  if (where.page === 'sessions') return <SessionsPage />;
  if (where.page === 'federations') return <FederationsPage />;
  const { federation, rest, query } = where;
  if (isOwner) return <OwnerPage federation={federation} />;
  switch (where.page) {
    case 'overview':
      return <OverviewPage federation={federation} />;
    case 'training':
      return <TrainingPage federation={federation} chosen={rest[0]} query={query} />;
    case 'models':
      return <ModelsPage federation={federation} chosen={rest[0]} query={query} />;
    case 'graph':
      return <GraphPage federation={federation} query={query} />;
    case 'what-if':
      return <WhatIfPage federation={federation} query={query} />;
    case 'live':
      return <LivePage federation={federation} />;
    case 'audit':
      return <AuditPage key={federation} federation={federation} />;
    case 'access':
      return <AccessPage federation={federation} />;
    default:
      return <Notice title="There is no such page">Choose one from the menu.</Notice>;
  }
}

const titleOf = (where: Route): string =>
  'federation' in where ? `${where.federation} · ${where.page.replace('-', ' ')} · f3` : `${where.page} · f3`;
