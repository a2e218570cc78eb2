// An entry of the audit log in words, as somebody reads it aloud: `invited plant-7 as owner`.
import type { AuditEntry } from '../../exchange/messages.ts';
import { listedLine } from '../terminal/listed-line.ts';
import { shownSize } from '../terminal/shown-size.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { shortId } from './training-id.ts';

/** So many of those that were counted are named; `--verbose` shows all. */
const MOST_NAMED = 3;

type Details = Record<string, unknown>;

/** What was done, by action; who did it stands before. */
export const SENTENCES: Record<string, (details: Details) => string> = {
  'operator.made': () => 'became operator of the coordinator',
  'audit.key': ({ keyId }) => `signs the audit logs with key ${keyId} from now on`,
  'audit.chained': ({ entries }) => `chained ${counted(entries, 'entry', 'entries')} that an older version had written`,
  'token.refused': (details) => `refused ${counted(details.total, 'token')}${countsText(details)}`,
  'code.refused': (details) => `refused ${counted(details.total, 'one-time code')}${countsText(details)}`,
  'model.read': (details) => `showed models ${counted(details.total, 'time')}${countsText(details)}`,
  'model.questioned': (details) =>
    `answered ${counted(details.total, 'question')} on what models lose${countsText(details)}`,
  'prediction.made': (details) => `answered ${counted(details.total, 'prediction')}${countsText(details)}`,
  'backup.made': ({ file, bytes }) => `made backup ${file}${sizeText(bytes)}`,
  'clock.accepted': ({ before, now }) =>
    `took the clock for right at ${shownTime(now)} UTC, which had shown ${shownTime(before)} UTC before`,
  'federation.created': () => 'made the federation',
  'member.invited': ({ owner, role }) => `invited ${owner} as ${roleWord(role)}`,
  'invitation.cancelled': ({ owner, role }) => `cancelled the invitation of ${owner} as ${roleWord(role)}`,
  'member.joined': ({ role }) => `joined as ${roleWord(role)}`,
  'member.revoked': ({ owner, invitationsCancelled: codes }) =>
    `revoked ${owner}${codes ? `, and cancelled ${counted(codes, 'unused code')}` : ''}`,
  'member.left': ({ role, bundles }) =>
    `left${role === 'owner' ? `; its bundles were ${bundles === 'deleted' ? 'deleted' : 'kept'}` : ''}`,
  'member.placed': () => 'told where it is',
  'member.unplaced': () => 'took back where it is',
  'bundle.received': ({ version, size }) => `sent bundle version ${version}${sizeText(size)}`,
  'labels.received': ({ version, size }) => `sent labels version ${version}${sizeText(size)}`,
  'bundle.deleted': ({ owner, version, size, models }) =>
    `deleted bundle version ${version} of ${owner}${sizeText(size)}${learnedText(models)}`,
  'token.created': ({ name, expires }) =>
    `made inference token ${name}, good ${expires ? `until ${shownTime(expires)} UTC` : 'for ever'}`,
  'token.revoked': ({ name }) => `revoked inference token ${name}`,
  'key.rotated': ({ keyId }) => `replaced its key by ${String(keyId).slice(0, 8)}`,
  'key.revoked': ({ keyId }) => `ended its former key ${String(keyId).slice(0, 8)}`,
  'session.opened': ({ expires }) => `opened the dashboard, until ${shownTime(expires)} UTC at most`,
  'session.closed': () => 'logged out of the dashboard',
  'session.revoked': ({ owner }) => `ended a session of ${owner} in the dashboard`,
  'operator.revoked': ({ owner }) => `revoked operator ${owner}`,
  'labels.rules': (details) => `set rules for trainings on its labels: ${listedLine(details)}`,
  'labels.granted': ({ member, trainings }) => `allowed ${member} ${counted(trainings, 'training')} on its labels`,
  'labels.refused': ({ member }) => `took back what it had allowed ${member}`,
  'quotas.set': (details) => `set quotas: ${listedLine(details)}`,
  'training.asked': ({ training, bundles, labels, split }) =>
    `asked for training ${shortId(String(training))}${bundles === undefined ? '' : ` on ${counted(bundles, 'bundle')}`}${labelText(labels, split)}`,
  'training.cancelled': ({ training }) => `cancelled training ${shortId(String(training))}`,
  'model.trained': ({ model, training, requestedBy }) =>
    `trained model ${model} (training ${shortId(String(training))}, asked for by ${requestedBy})`,
  'model.activated': ({ version, before, reason }) =>
    `made model ${version} active${before ? ` instead of model ${before}` : ''}${reasonText(reason)}`,
  'model.downloaded': ({ version }) => `downloaded model ${version}`,
  'model.candidate': ({ version, reason }) => `kept model ${version} as a candidate${reasonText(reason)}`,
};

/** One that a newer coordinator wrote is shown as it is. */
export function auditSentence({ action = '', details = {} }: AuditEntry): string {
  if (Object.hasOwn(SENTENCES, action)) return SENTENCES[action](details);
  return `${action} ${listedLine(details)}`.trim();
}

const roleWord = (role: unknown): string => (role === 'labels' ? 'label holder' : String(role));

const counted = (count: unknown, thing: string, things = `${thing}s`): string =>
  `${count} ${count === 1 ? thing : things}`;

/** Who did what was counted, those with the highest counts. */
function countsText({ by = [], others = 0 }: Details): string {
  const told = (by as { who?: string; keyId?: string; address?: string; code?: string; count: number }[])
    .slice(0, MOST_NAMED)
    .map(({ who, keyId, address, code, count }) => {
      const name = who ?? (keyId ? `key ${keyId.slice(0, 8)}` : 'nobody known');
      return `${name} at ${address ?? 'an unknown address'}${code ? `, ${code}` : ''}: ${count}`;
    });
  const rest = (by as unknown[]).length - told.length + (Number(others) > 0 ? 1 : 0);
  return told.length === 0 ? '' : ` (${told.join('; ')}${rest > 0 ? '; and others' : ''})`;
}

const sizeText = (size: unknown): string => (typeof size === 'number' ? ` (${shownSize(size)})` : '');

const learnedText = (models: unknown): string =>
  Array.isArray(models) && models.length > 0 ? `, which model ${models.join(', ')} learned from` : '';

/** Which labels a training learns from, and how they are split. */
function labelText(labels: unknown, split: unknown): string {
  if (labels === undefined) return '';
  const { seed, sha256 = '' } = (split ?? {}) as { seed?: number; sha256?: string };
  return ` and labels version ${labels}, split by ${seed === undefined ? `parts ${sha256.slice(0, 12)}` : `seed ${seed}`}`;
}

const reasonText = (reason: unknown): string => (typeof reason === 'string' && reason !== '' ? `: ${reason}` : '');
