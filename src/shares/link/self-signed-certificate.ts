// [owner] [entity] [coordinator] A certificate that a party signs for its own Ed25519 key (RFC 5280, RFC 8410): TLS wants one, the other side pins the key.
import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import type { KeyPair } from '../../exchange/identity/key-pair.ts';

/** PEM texts for node:tls. */
export interface CertifiedKey {
  cert: string;
  key: string;
}

const ED25519 = sequence(Buffer.from('06032b6570', 'hex'));
const NAME = sequence(tagged(0x31, sequence(Buffer.from('0603550403', 'hex'), tagged(0x0c, Buffer.from('f3 entity')))));
/** Times play no part: who no longer trusts a key takes it off its list. */
const VALIDITY = sequence(
  tagged(0x17, Buffer.from('200101000000Z')),
  tagged(0x18, Buffer.from('99991231235959Z')), // RFC 5280, 4.1.2.5: no well-defined end
);

/** It proves nothing by itself. That the other side has the key is proven by the TLS handshake. */
export function selfSignedCertificate({ privateKey }: KeyPair): CertifiedKey {
  const key = createPrivateKey({ key: { ...privateKey }, format: 'jwk' });
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const serial = randomBytes(8);
  serial[0] = 0x40 | (serial[0] & 0x3f); // a positive number without leading zeros
  const version = tagged(0xa0, Buffer.from('020102', 'hex'));
  const content = sequence(version, tagged(0x02, serial), ED25519, NAME, VALIDITY, NAME, publicKey);
  const signature = tagged(0x03, Buffer.concat([Buffer.of(0), sign(null, content, key)]));
  const lines =
    sequence(content, ED25519, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

/** DER: tag, length, content. Nothing here is longer than 65,535 bytes. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  if (length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, length), content]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}
