// The menu: brand, the federation at hand, its pages, and whose session this is.
import type { JSX } from 'preact';
import type { Session } from '../../src/exchange/messages/sessions.ts';
import { FEDERATION_PAGES, type FederationPage, linkTo, route } from '../route.ts';
import { signOut } from '../session.ts';

const NAMES: Record<FederationPage, string> = {
  overview: 'Federation',
  training: 'Training',
  models: 'Models',
  graph: 'Graph',
  'what-if': 'What if',
  live: 'Live',
  audit: 'Audit log',
  access: 'Access and quotas',
};
/** A label holder sees neither the audit log nor tokens. */
const OPERATORS_ONLY: FederationPage[] = ['audit', 'access'];

export const roleWord = (role: Session['role']): string => (role === 'labels' ? 'label holder' : role);

export function Menu({ session }: { session: Session }): JSX.Element {
  const where = route.value;
  const federation = 'federation' in where ? where.federation : session.federation;
  const pages = FEDERATION_PAGES.filter((page) =>
    session.role === 'owner' ? page === 'overview' : session.role === 'operator' || !OPERATORS_ONLY.includes(page),
  );
  return (
    <header class="menu">
      <a class="brand" href="#/">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M8 9 16 22 24 9Z" />
          <circle cx="8" cy="9" r="4" />
          <circle cx="24" cy="9" r="4" />
          <circle class="fused" cx="16" cy="23" r="5" />
        </svg>
        <span>f3</span>
      </a>
      <nav aria-label="Pages">
        {session.federation === null && (
          <a class="all" href="#/" aria-current={where.page === 'federations' ? 'page' : undefined}>
            All federations
          </a>
        )}
        {federation !== null && (
          <>
            <p class="federation" title={`Federation ${federation}`}>
              {federation}
            </p>
            <ul>
              {pages.map((page) => (
                <li key={page}>
                  <a
                    href={linkTo(federation, page)}
                    aria-current={'federation' in where && where.page === page ? 'page' : undefined}
                  >
                    {NAMES[page]}
                  </a>
                </li>
              ))}
            </ul>
          </>
        )}
      </nav>
      <div class="who">
        <p>
          <strong title={session.owner}>{session.owner}</strong>
          <span>{roleWord(session.role)}</span>
        </p>
        <a href="#/sessions" aria-current={where.page === 'sessions' ? 'page' : undefined}>
          Sessions
        </a>
        <button type="button" class="plain" onClick={() => void signOut()}>
          Log out
        </button>
      </div>
    </header>
  );
}
