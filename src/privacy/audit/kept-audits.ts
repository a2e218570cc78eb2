// [owner] Audits that a home folder keeps: by the model that they are about, or by the embeddings, and by the noise.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import type { NoiseOptions } from '../noise/noise-embeddings.ts';
import type { OwnerAudit } from './audit-owner.ts';

/** Names embeddings whose model is not at hand: SHA-256 of their numbers and of the samples that they are of. */
export function embeddingsHash({
  samples,
  width,
  embeddings,
}: Pick<Bundle, 'samples' | 'width' | 'embeddings'>): string {
  const { buffer, byteOffset, byteLength } = embeddings;
  return sha256(JSON.stringify([width, samples]), new Uint8Array(buffer, byteOffset, byteLength));
}

function auditFile(home: string, audited: string, noise: NoiseOptions | undefined): string {
  return join(home, 'audits', `${audited}${noise ? `-${noise.clip}-${noise.noise}` : ''}.json`);
}

/** Kept where `f3 owner push` looks for it. */
export function keepAudit(home: string, audit: OwnerAudit): string {
  const file = auditFile(home, audit.model, audit.noise);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWholeFile(file, `${JSON.stringify(audit)}\n`, `audit ${file}`, 'F3_HOME');
  return file;
}

/** The audit of these embeddings, or of the model that made them, under this noise. */
export function findAudit(home: string, bundle: Bundle, noise?: NoiseOptions): OwnerAudit | undefined {
  return findModelAudit(home, bundle.model, noise) ?? readAudit(auditFile(home, embeddingsHash(bundle), noise));
}

/** The audit of a model under this noise. */
export function findModelAudit(home: string, model: string | undefined, noise?: NoiseOptions): OwnerAudit | undefined {
  return model !== undefined && /^[0-9a-f]{64}$/.test(model) ? readAudit(auditFile(home, model, noise)) : undefined;
}

function readAudit(file: string): OwnerAudit | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const audit = JSON.parse(readFileSync(file, 'utf8')) as OwnerAudit;
    return typeof audit.worst === 'number' ? audit : undefined;
  } catch {
    return undefined; // A broken file counts as no audit: it is made again.
  }
}
