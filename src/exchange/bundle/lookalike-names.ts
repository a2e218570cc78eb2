// [wire] Names that people cannot tell apart: refused when somebody is invited, so that nobody joins as another's double.
import { isOwnerId } from './owner-id.ts';

/** What the name of somebody new must be, in words. */
export const NEW_OWNER_RULE =
  'must be an owner id of letters, digits, spaces and - _ . , + @ # & ( ) in their usual form (NFKC), with letters of Latin, Greek and Cyrillic not mixed';

const ALLOWED = /^[\p{L}\p{M}\p{Nd} \-_.,+@#&()]+$/u;
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u];
/** Letters with which a whole word of one script looks like a word of another. */
const DOUBLES = new Map(
  Object.entries({
    ...pairs('авеѕіјкмнорсгтухԁԛԝһ', 'abesijkmhopcrtyxdqwh'),
    ...pairs('αβεικνορτυχ', 'abeiknoptux'),
  }),
);

/** Whether a name keeps to `NEW_OWNER_RULE`: no invisible characters, no marks that turn the writing around, no second spelling. */
export function isNewOwnerName(name: string): boolean {
  if (!isOwnerId(name) || name !== name.normalize('NFKC') || !ALLOWED.test(name)) return false;
  return SCRIPTS.filter((script) => script.test(name)).length <= 1;
}

/** Names with equal skeletons look alike: they differ in case, or in letters of another script. */
export function nameSkeleton(name: string): string {
  return Array.from(name.normalize('NFKC').toLowerCase(), (letter) => DOUBLES.get(letter) ?? letter).join('');
}

function pairs(from: string, to: string): Record<string, string> {
  const doubles = [...to];
  return Object.fromEntries([...from].map((letter, i) => [letter, doubles[i]]));
}
