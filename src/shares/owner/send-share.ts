// [owner] Sends one entity its share: in chunks, taken up where a line broke, checked there against the owner's commitment.
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, F3Error } from '../../errors.ts';
import type { Charter } from '../charter.ts';
import { charterFingerprint } from '../charter.ts';
import { dial } from '../link/dial.ts';
import type { Link, LinkTimes } from '../link/link.ts';
import type { CertifiedKey } from '../link/self-signed-certificate.ts';
import type { SplitBundle } from './split-bundle.ts';

export interface ShareSending {
  charter: Charter;
  /** The number of the entity. */
  entity: number;
  certified: CertifiedKey;
  /** The coordinator's word that we are an owner, asked for anew with every line. */
  admission(): Promise<string>;
  split: SplitBundle;
  onProgress?: ((received: number) => void) | undefined;
  /** Told before each wait. */
  onRetry?: ((error: Error, milliseconds: number) => void) | undefined;
  times?: LinkTimes | undefined;
  /** How often a line is tried without any progress. */
  attempts?: number | undefined;
}

const CHUNK = 1024 * 1024;
const FIRST_WAIT_MS = 250;

/** Returns how many bytes were sent: 0 if the entity held the share already. */
export async function sendShare(sending: ShareSending): Promise<number> {
  const { charter, entity, certified, admission, times, attempts = 6, onRetry } = sending;
  let sent = 0;
  let failures = 0;
  for (;;) {
    const before = sent;
    let link: Link | undefined;
    try {
      link = await dial(charter.entities[entity - 1], { name: `entity ${entity}`, certified, times });
      const facts = { charter: charterFingerprint(charter), admission: await admission() };
      await link.ask('hello', { facts });
      await sendOver(link, sending, (bytes) => {
        sent += bytes;
      });
      return sent;
    } catch (error) {
      failures = sent > before ? 1 : failures + 1;
      if (errorCode(error) !== 'F3_SHARES_AWAY' || failures >= attempts) throw error;
      const wait = FIRST_WAIT_MS * 2 ** (failures - 1);
      onRetry?.(error as Error, wait);
      await sleep(wait);
    } finally {
      link?.close();
    }
  }
}

async function sendOver(
  link: Link,
  { entity, split, onProgress }: ShareSending,
  count: (bytes: number) => void,
): Promise<void> {
  const { salt, bytes } = split.shares[entity - 1];
  const { root, statement } = split;
  const { facts } = await link.ask('offer', { facts: { manifest: statement } });
  if (facts.isHeld === true) {
    onProgress?.(bytes.length);
    return;
  }
  let at = receivedOf(facts, entity, bytes.length);
  onProgress?.(at);
  while (at < bytes.length) {
    const part = bytes.subarray(at, at + CHUNK);
    const answer = await link.ask('append', { facts: { root, offset: at }, bytes: part });
    const received = receivedOf(answer.facts, entity, bytes.length);
    if (received <= at) throw strange(entity, `must advance with each chunk, got stuck at byte ${received}`);
    count(part.length);
    at = received;
    onProgress?.(at);
  }
  await link.ask('finish', { facts: { root }, bytes: salt });
}

function receivedOf({ received }: Record<string, unknown>, entity: number, size: number): number {
  if (Number.isSafeInteger(received) && (received as number) >= 0 && (received as number) <= size) {
    return received as number;
  }
  throw strange(entity, `must say how much it has received, got ${JSON.stringify(received)}`);
}

const strange = (entity: number, rule: string): F3Error =>
  new F3Error('F3_SHARES_MESSAGE', `entity ${entity}: ${rule}`);
