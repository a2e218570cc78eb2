// Whether a federation can train, in plain words: who has sent, who has not, and what is missing.
import type { FederationStatus } from '../../src/exchange/messages.ts';
import { counted, listed } from './numbers.ts';

export interface Readiness {
  isReady: boolean;
  /** What stands at the top of the page. */
  sentence: string;
  /** What to do next. */
  next: string;
}

export function readinessOf({ owners, counts, invitations = [] }: FederationStatus): Readiness {
  const missing = owners.filter(({ bundle }) => !bundle).map(({ owner }) => owner);
  const [all, sent] = [owners.length, owners.length - missing.length];
  const open = invitations.filter(({ expired, role }) => !expired && role === 'owner').length;
  const waiting = open > 0 ? ` ${counted(open, 'invitation')} ${open === 1 ? 'is' : 'are'} still open.` : '';
  if (all === 0) {
    const next =
      open > 0
        ? 'Wait until the invited owners join.'
        : 'Invite owners on the page Federation; each joins with a code.';
    return { isReady: false, sentence: `Nobody has joined yet.${waiting}`, next };
  }
  if (sent === 0) {
    const sentence = `${counted(all, 'owner')} joined, and none has sent a bundle.${waiting}`;
    return { isReady: false, sentence, next: 'Owners send theirs with “f3 owner push”.' };
  }
  const who =
    missing.length === 0
      ? `${all === 1 ? 'The only owner has' : `All ${counted(all, 'owner')} have`} sent.`
      : `${counted(missing.length, 'owner')} ${missing.length === 1 ? 'has' : 'have'} not sent (${listed(missing)}); training would use ${sent} of ${all}.`;
  if (!counts?.labels) {
    const next = 'Invite a label holder, who sends labels with “f3 owner push --labels”.';
    return { isReady: false, sentence: `${who} There are no labels yet.${waiting}`, next };
  }
  const next = missing.length === 0 ? 'Ready to train.' : 'Train now, or wait for those who are missing.';
  return { isReady: true, sentence: `${who}${waiting}`, next };
}
