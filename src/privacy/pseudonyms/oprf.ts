// RFC 9497 (Oblivious Pseudorandom Functions), verifiable mode, suite ristretto255-SHA512: pseudonyms of sample ids. [owner] blinds
// ids and unblinds answers; the key holder evaluates what it cannot read, and proves that it used the key it has published.
import { randomBytes } from 'node:crypto';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { F3Error } from '../../errors.ts';

const { voprf } = ristretto255_oprf;
const secretBytes = (length = 32) => new Uint8Array(randomBytes(length));

/** Bytes of a blinded or evaluated id on the wire. */
export const ELEMENT_BYTES = 32;
/** Bytes of the proof over a batch. */
export const PROOF_BYTES = 64;
/** Digits of a pseudonym: 128 bits, so that a million ids collide with a chance of 10⁻²⁷. */
const PSEUDONYM_DIGITS = 32;

/** The key holder's key. */
export interface PseudonymKey {
  /** 64 hexadecimal digits that nobody else may know. */
  secret: string;
  /** 64 hexadecimal digits that every owner checks answers with. */
  public: string;
}

/** Ids on their way to the key holder. */
export interface BlindedIds {
  /** What the owner keeps, an element per id. */
  blinds: Uint8Array[];
  /** What the key holder sees, an element per id. */
  blinded: Uint8Array[];
}

/** What the key holder answers. */
export interface EvaluatedIds {
  /** An element per id, in the order in which they were asked for. */
  evaluated: Uint8Array[];
  /** Proves that one key, the published one, evaluated all of them. */
  proof: Uint8Array;
}

/** Makes a key from the system's random numbers. */
export function createPseudonymKey(): PseudonymKey {
  const { secretKey, publicKey } = voprf.deriveKeyPair(secretBytes(), Buffer.from('f3 pseudonyms'));
  return { secret: Buffer.from(secretKey).toString('hex'), public: Buffer.from(publicKey).toString('hex') };
}

/** The same id has another pseudonym in another federation, so two federations cannot compare their samples. */
export function oprfInput(federation: string, id: string): Uint8Array {
  return Buffer.from(`f3-sample\0${federation}\0${id}`);
}

/** Every call draws new random numbers, so the same id never looks the same twice. */
export function blindIds(inputs: readonly Uint8Array[]): BlindedIds {
  const pairs = inputs.map((input) => voprf.blind(input, secretBytes));
  return { blinds: pairs.map(({ blind }) => blind), blinded: pairs.map(({ blinded }) => blinded) };
}

/** Done by the key holder. An element that is none is refused. */
export function evaluateBlinded(key: PseudonymKey, blinded: readonly Uint8Array[]): EvaluatedIds {
  try {
    const [secret, publicKey] = [Buffer.from(key.secret, 'hex'), Buffer.from(key.public, 'hex')];
    return voprf.blindEvaluateBatch(secret, publicKey, [...blinded], secretBytes);
  } catch (cause) {
    throw new F3Error('F3_REQUEST', 'pseudonyms: blinded ids must be elements of ristretto255, got something else', {
      cause,
    });
  }
}

/** Checks the proof, then gives a pseudonym per id. An answer under another key is refused. */
export function unblindIds(
  inputs: readonly Uint8Array[],
  { blinds, blinded }: BlindedIds,
  { evaluated, proof }: EvaluatedIds,
  publicKey: string,
): string[] {
  const items = inputs.map((input, i) => ({
    input,
    blind: blinds[i],
    blinded: blinded[i],
    evaluated: evaluated[i],
  }));
  try {
    return voprf
      .finalizeBatch(items, Buffer.from(publicKey, 'hex'), proof)
      .map((output) => Buffer.from(output).toString('hex').slice(0, PSEUDONYM_DIGITS));
  } catch (cause) {
    const rule = `must prove that it used its key ${publicKey.slice(0, 8)}…`;
    throw new F3Error('F3_PSEUDONYM_PROOF', `key holder: ${rule}, got an answer under another key or a changed one`, {
      cause,
    });
  }
}
