// [owner] Audits that a home folder keeps: by owner, by the model that they are about, or by the embeddings, and by the noise.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { sha256 } from '../../base/sha256.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import type { NoiseOptions } from '../noise/noise-embeddings.ts';
import { folderName } from '../owner-folder.ts';
import type { OwnerAudit } from './audit-owner.ts';
import { wasMeasured } from './recovery-limit.ts';

/** Names embeddings whose model is not at hand: SHA-256 of their numbers and of the samples that they are of. */
export function embeddingsHash({
  samples,
  width,
  embeddings,
}: Pick<Bundle, 'samples' | 'width' | 'embeddings'>): string {
  const { buffer, byteOffset, byteLength } = embeddings;
  return sha256(JSON.stringify([width, samples]), new Uint8Array(buffer, byteOffset, byteLength));
}

/** What an audit is about. */
interface Audited {
  /** Whose readings were attacked: one model makes other embeddings of another owner's. */
  owner: string;
  /** The hash that names the model, or the embeddings. */
  name: string;
  noise?: NoiseOptions | undefined;
}

function auditFile(home: string, { owner, name, noise }: Audited): string {
  return join(home, 'audits', folderName(owner), fileName(name, noise));
}

const fileName = (name: string, noise: NoiseOptions | undefined) =>
  `${name}${noise ? `-${noise.clip}-${noise.noise}` : ''}.json`;

/** Kept where `f3 owner push` looks for it. */
export function keepAudit(home: string, audit: OwnerAudit): string {
  const file = auditFile(home, { owner: audit.owner, name: audit.model, noise: audit.noise });
  makeFolder(dirname(file), 'F3_HOME');
  writeWholeFile(file, `${JSON.stringify(audit)}\n`, `audit ${file}`, 'F3_HOME');
  return file;
}

/** The audit of these embeddings, or of the model that made them, under this noise; of both the one that found more. */
export function findAudit(home: string, bundle: Bundle, noise?: NoiseOptions): OwnerAudit | undefined {
  const { owner, model } = bundle;
  const ofModel = findModelAudit(home, { owner, model }, noise);
  const ofThese = readAudit(home, { owner, name: embeddingsHash(bundle), noise });
  return ofModel && ofThese && ofThese.worst > ofModel.worst ? ofThese : (ofModel ?? ofThese);
}

/** The audit of an owner's model under this noise. */
export function findModelAudit(
  home: string,
  { owner, model }: { owner: string; model: string | undefined },
  noise?: NoiseOptions,
): OwnerAudit | undefined {
  return model !== undefined && /^[0-9a-f]{64}$/.test(model)
    ? readAudit(home, { owner, name: model, noise })
    : undefined;
}

function readAudit(home: string, audited: Audited): OwnerAudit | undefined {
  // Earlier versions kept the audits of all owners side by side.
  const former = join(home, 'audits', fileName(audited.name, audited.noise));
  const file = [auditFile(home, audited), former].find(existsSync);
  if (file === undefined) return undefined;
  try {
    const audit = JSON.parse(readFileSync(file, 'utf8')) as OwnerAudit;
    wasMeasured(audit); // throws where recoveries are something else
    return typeof audit.worst === 'number' && audit.owner === audited.owner ? audit : undefined;
  } catch {
    return undefined; // A broken file counts as no audit: it is made again.
  }
}
