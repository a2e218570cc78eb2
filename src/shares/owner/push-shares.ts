// [owner] Sends a bundle in shares: share j to entity j and to nobody else, then the sample ids and what was signed to the coordinator.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from '../../base/whole-file.ts';
import { errorCode, F3Error } from '../../errors.ts';
import { type Bundle, decodeBundle } from '../../exchange/bundle/bundle.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import { federationShares } from '../../exchange/client/federation-shares.ts';
import type { KeyPair } from '../../exchange/identity/key-pair.ts';
import type { FederationShares } from '../../exchange/messages.ts';
import { encodeAnnouncement } from '../announcement.ts';
import { type Charter, charterFingerprint } from '../charter.ts';
import { selfSignedCertificate } from '../link/self-signed-certificate.ts';
import { readManifest, type StatedCoding, shareBytes } from '../share-manifest.ts';
import { agreedCharter } from './pinned-charter.ts';
import { sendShare } from './send-share.ts';
import { bundleHash, type SplitBundle, SplitShelf, splitBundle } from './split-bundle.ts';

/** A bundle that its owner sends in shares, and how. */
export interface SharesPush {
  client: CoordinatorClient;
  federation: string;
  /** The owner's key, which the coordinator knows. */
  keys: KeyPair;
  /** The bundle as it would be sent in the clear, noise and pseudonyms included. Its votes stay here. */
  bytes: Uint8Array;
  /** Where its numbers are codes: what `CodingShelf` gave with them. */
  coding?: StatedCoding | undefined;
  /** Folder of the membership, where shares lie until all entities have theirs. */
  folder: string;
  /** What the owner was told by somebody else than the coordinator; needed the first time. */
  fingerprint?: string | undefined;
  newWidth?: boolean | undefined;
  /** Sends what was sent before as a new version. */
  again?: boolean | undefined;
  /** Called when nothing stands in the way any more, before the first byte of a share leaves. */
  beforeSending?: (() => void) | undefined;
  /** Bytes that entities have, of all shares together. */
  onProgress?: ((received: number, size: number) => void) | undefined;
  onRetry?: ((error: Error, milliseconds: number) => void) | undefined;
  /** How often an entity that does not answer is tried. */
  attempts?: number | undefined;
}

/** What became of a push. */
export interface PushedShares {
  version: number;
  newest: number;
  /** Names the bundle at entities and coordinator. */
  root: string;
  /** Of the charter. */
  fingerprint: string;
  entities: number;
  /** Bytes that were sent to entities now. */
  sent: number;
}

/** Versions that entities hold of pushes that were given up; more of them than this is no accident. */
const MOST_SKIPPED = 20;

/** May be called again after any interruption, and goes on where it stopped. */
export async function pushShares(push: SharesPush): Promise<PushedShares> {
  const { client, federation, folder, fingerprint, bytes } = push;
  const told = await federationShares(client, federation);
  const charter = agreedCharter(folder, told.charter, fingerprint);
  const bundle = decodeBundle(bytes, `bundle of ${federation}`);
  const [hash, sentBefore] = [bundleHash(bytes, push.coding), new SentBundles(folder)];
  const before = sentBefore.find(hash);
  const counted = told.bundles?.find(({ root }) => root === before);
  if (counted && !push.again) {
    const newest = Math.max(...(told.bundles ?? []).map(({ version }) => version));
    const { version, root } = counted;
    const { length: entities } = charter.entities;
    return { version, root, newest, fingerprint: charterFingerprint(charter), entities, sent: 0 };
  }
  requireKnownWidth(bundle, told, push.newWidth);
  requireRoom(bundle, told, charter);
  const shelf = new SplitShelf(join(folder, 'splits'));
  const sending = new ShareSending(push, charter, bundle, shelf, hash);
  push.beforeSending?.();
  const pushed = await sending.send(told);
  sentBefore.note(hash, pushed.root);
  shelf.forget(hash);
  return { ...pushed, fingerprint: charterFingerprint(charter), entities: charter.entities.length };
}

/** The coordinator would refuse it in the end, when every entity has its share. */
function requireKnownWidth({ owner, width }: Bundle, { bundles = [] }: FederationShares, newWidth = false): void {
  const last = bundles.reduce((newest, one) => Math.max(newest, one.version), 0);
  const before = bundles.find(({ version }) => version === last)?.width;
  if (newWidth || before === undefined || before === width) return;
  const rule = `must share ${before} numbers per sample as in its last version unless another width is meant`;
  throw new F3Error('F3_BUNDLE_WIDTH', `bundle ${owner}: ${rule}, got ${width}`, { remedy: 'newWidth' });
}

function requireRoom(bundle: Bundle, { room }: FederationShares, { entities }: Charter): void {
  const bytes = entities.length * shareBytes({ rows: bundle.samples.length, width: bundle.width });
  if (room === undefined || bytes <= room) return;
  const rule = `its shares must fit into the ${room} bytes that the owner's quota leaves`;
  throw new F3Error('F3_QUOTA', `bundle ${bundle.owner}: ${rule}, got ${bytes}`);
}

class ShareSending {
  readonly #push: SharesPush;
  readonly #charter: Charter;
  readonly #bundle: Bundle;
  readonly #shelf: SplitShelf;
  readonly #hash: string;
  #sent = 0;

  constructor(push: SharesPush, charter: Charter, bundle: Bundle, shelf: SplitShelf, hash: string) {
    this.#push = push;
    this.#charter = charter;
    this.#bundle = bundle;
    this.#shelf = shelf;
    this.#hash = hash;
  }

  async send({ next = 1, bundles = [] }: FederationShares): Promise<Omit<PushedShares, 'fingerprint' | 'entities'>> {
    let version = next;
    for (let skipped = 0; ; skipped++) {
      const split = await this.#split(version, bundles);
      try {
        await this.#sendShares(split);
        return { ...(await this.#announce(split)), root: split.root, sent: this.#sent };
      } catch (error) {
        if (errorCode(error) !== 'F3_SHARES_VERSION' || skipped >= MOST_SKIPPED) throw error;
        // An entity holds this number of a push that was given up, or another push was faster: the next number is free.
        this.#shelf.forget(this.#hash);
        version = split.version + 1;
      }
    }
  }

  /** The split that is under way, if it can still count; else a new one, which is kept before a byte of it leaves. */
  async #split(version: number, bundles: { root: string }[]): Promise<SplitBundle> {
    const { keys, coding } = this.#push;
    const known = this.#shelf.find(this.#hash);
    if (known && (known.version >= version || bundles.some(({ root }) => root === known.root))) {
      const { length: entities } = this.#charter.entities;
      const expected = {
        charter: charterFingerprint(this.#charter),
        owner: this.#bundle.owner,
        keyId: keys.id,
        entities,
      };
      // A key that was replaced since did not sign what is kept.
      const isOurs = await readManifest(known.statement, expected).then(
        () => true,
        () => false,
      );
      if (isOurs) return known;
    }
    const split = await splitBundle(this.#bundle, this.#charter, version, keys, coding);
    this.#shelf.keep(this.#hash, split);
    return split;
  }

  async #sendShares(split: SplitBundle): Promise<void> {
    const { client, federation, keys, onProgress, onRetry, attempts } = this.#push;
    const certified = selfSignedCertificate(keys);
    const received = new Map<number, number>();
    const size = split.shares.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const outcomes = await Promise.allSettled(
      split.shares.map(async (_, index) => {
        const entity = index + 1;
        const sent = await sendShare({
          charter: this.#charter,
          entity,
          certified,
          split,
          admission: async () => (await federationShares(client, federation)).admission ?? '',
          onRetry,
          attempts,
          onProgress: (bytes) => {
            received.set(entity, bytes);
            onProgress?.(
              [...received.values()].reduce((sum, one) => sum + one, 0),
              size,
            );
          },
        });
        this.#sent += sent;
      }),
    );
    const failed = outcomes.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** The coordinator counts the bundle when every entity says that it holds its share. */
  async #announce(split: SplitBundle): Promise<{ version: number; newest: number }> {
    const { client, federation, newWidth = false } = this.#push;
    const announcement = encodeAnnouncement(this.#bundle, split);
    const stored = await client.upload(federation, 'bundle', announcement, undefined, { newWidth, shares: true });
    if (stored.version === split.version) return { version: stored.version, newest: stored.newest };
    const rule = `must count as version ${split.version}`;
    throw new F3Error('F3_CLIENT_RESPONSE', `shared bundle: ${rule}, got ${stored.version}`);
  }
}

/** Which bundles were sent before, so that the same one is not split and sent again. */
class SentBundles {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, 'sent-shares.json');
  }

  /** Its root, by the hash of the bundle. */
  find(hash: string): string | undefined {
    return this.#read()[hash];
  }

  note(hash: string, root: string): void {
    writeWholeFile(this.#file, `${JSON.stringify({ ...this.#read(), [hash]: root }, null, 2)}\n`);
  }

  #read(): Record<string, string> {
    return existsSync(this.#file) ? (JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, string>) : {};
  }
}
