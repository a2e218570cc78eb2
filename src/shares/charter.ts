// [owner] [entity] [coordinator] A federation's charter: which entities hold shares, with which keys, under which threshold, for which coordinator.
// It never changes. Its fingerprint is what people compare, so that nobody can slip in entities of his own.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sha256 } from '../base/sha256.ts';
import { F3Error } from '../errors.ts';
import { FEDERATION_NAME } from '../exchange/messages.ts';
import { Scheme } from './scheme.ts';

/** Where an entity is, and which key it has. */
export interface EntityAddress {
  /** tls://host:port */
  url: string;
  /** Thumbprint of its Ed25519 key. */
  keyId: string;
}

const KEY_ID = /^[\w-]{43}$/;
const keyId = z.string().regex(KEY_ID);

const charterSchema = z.strictObject({
  format: z.literal('f3-charter-1'),
  federation: z.string().regex(FEDERATION_NAME),
  /** Random, so that no two charters have the same fingerprint. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** So many entities together learn nothing. */
  threshold: z.number().int(),
  /** Key id of the coordinator, which admits owners and starts computations. */
  coordinator: keyId,
  /** Entity 1 first. */
  entities: z.array(z.strictObject({ url: z.string().max(300), keyId })),
});

/** What owners, entities and the coordinator of a federation on shares have agreed on. */
export type Charter = z.infer<typeof charterSchema>;

/** `tls://host:port#key-id`, as `f3 entity init` prints it. */
export function parseEntityAddress(text: string): EntityAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const key = url?.hash.slice(1) ?? '';
  const isPlain = url?.protocol === 'tls:' && url.hostname && url.port && /^\/?$/.test(url.pathname) && !url.search;
  if (isPlain && !url.username && !url.password && KEY_ID.test(key)) return { url: `tls://${url.host}`, keyId: key };
  throw new F3Error('F3_ARGUMENT', `entity: must be tls://host:port#key-id as the entity states it, got ${text}`);
}

/** A new charter. Every entity must be another one, or one would hold two shares. */
export function makeCharter(
  federation: string,
  threshold: number,
  coordinator: string,
  entities: readonly EntityAddress[],
): Charter {
  const id = randomBytes(16).toString('hex');
  const addresses = entities.map(({ url, keyId: key }) => ({ url, keyId: key }));
  return readCharter({ format: 'f3-charter-1', federation, id, threshold, coordinator, entities: addresses });
}

/** Checks what came from elsewhere. */
export function readCharter(value: unknown): Charter {
  const { data, error } = charterSchema.safeParse(value);
  if (!data) {
    const { path, message } = error.issues[0];
    throw new F3Error('F3_SHARES_CHARTER', `charter: must be one that f3 made, got ${path.join('.')}: ${message}`);
  }
  new Scheme(data.threshold, data.entities.length); // refuses a threshold that does not fit
  for (const { url, keyId: key } of data.entities) parseEntityAddress(`${url}#${key}`);
  for (const field of ['keyId', 'url'] as const) {
    const values = data.entities.map((entity) => entity[field]);
    const twice = values.find((value_, i) => values.indexOf(value_) < i);
    if (twice === undefined) continue;
    const rule = 'every entity must have a key and an address of its own';
    throw new F3Error('F3_SHARES_CHARTER', `charter of ${data.federation}: ${rule}, got ${twice} twice`);
  }
  if (!data.entities.some(({ keyId: key }) => key === data.coordinator)) return data;
  const rule = 'the coordinator must be none of the entities';
  throw new F3Error('F3_SHARES_CHARTER', `charter of ${data.federation}: ${rule}, got its key among theirs`);
}

/** 64 hexadecimal digits that stand for the whole charter. */
export function charterFingerprint(charter: Charter): string {
  const { format, federation, id, threshold, coordinator, entities } = charter;
  const addresses = entities.map(({ url, keyId: key }) => [url, key]);
  return sha256(JSON.stringify([format, federation, id, threshold, coordinator, addresses]));
}

/** A fingerprint that somebody typed or pasted, with or without spaces. */
export function parseFingerprint(text: string): string {
  const digits = text.replace(/\s+/g, '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw new F3Error('F3_ARGUMENT', `charter: fingerprint must be 64 hexadecimal digits, got ${text.slice(0, 80)}`);
}
