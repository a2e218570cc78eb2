// Which page is shown: the part of the address after #, so that the server needs to know of one page only.
import { signal } from '@preact/signals';

/** The pages of a federation, in the order of the menu. */
export const FEDERATION_PAGES = [
  'overview',
  'training',
  'models',
  'graph',
  'what-if',
  'live',
  'audit',
  'access',
] as const;
export type FederationPage = (typeof FEDERATION_PAGES)[number];

export type Route =
  | { page: 'federations' }
  | { page: 'sessions' }
  | { page: FederationPage; federation: string; rest: string[]; query: URLSearchParams };

export function parseRoute(hash: string): Route {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [first, federation, page, ...rest] = path.split('/').map(decode);
  if (first === 'sessions') return { page: 'sessions' };
  if (first !== 'f' || !federation) return { page: 'federations' };
  const known = FEDERATION_PAGES.find((name) => name === page) ?? 'overview';
  return { page: known, federation, rest, query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const route = signal<Route>(parseRoute(location.hash));
addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash);
});

/** The address of a page of a federation. */
export function linkTo(federation: string, page: FederationPage, rest: (string | number)[] = [], query = {}): string {
  const path = ['#/f', encodeURIComponent(federation), page, ...rest.map((part) => encodeURIComponent(part))].join('/');
  const asked = new URLSearchParams(query).toString();
  return asked ? `${path}?${asked}` : path;
}

export function goTo(address: string): void {
  location.hash = address;
}
