// [owner] Audits what an owner would send: its folder's windows through its frozen model, with noise where it has chosen some.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeWholeFile } from '../../base/whole-file.ts';
import type { Engine } from '../../core/engine/engine.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import { loadTrainedOwner } from '../../embed/load-trained-owner.ts';
import { normalise } from '../../embed/normalise-windows.ts';
import { predictLocal } from '../../embed/train-local-model.ts';
import { type NoiseOptions, noiseEmbeddings } from '../noise/noise-embeddings.ts';
import { auditEmbeddings, type LeakAudit } from './audit-embeddings.ts';
import type { Rows } from './rows.ts';

/** What is audited. */
export interface OwnerAuditOptions {
  /** Noise that the embeddings would get before they are sent. */
  noise?: NoiseOptions | undefined;
  /** Whether class probabilities would be sent, too; they are not under noise. */
  votes?: boolean | undefined;
  seed?: number | undefined;
}

/** An audit with the model that it is about. */
export interface OwnerAudit extends LeakAudit {
  /** SHA-256 of the local model's weights. */
  model: string;
  /** What the local model was trained for. */
  objective: string;
  /** The variates, for whoever reads errors in their unit. */
  variates: string[];
  noise?: NoiseOptions | undefined;
  /** How long it took. */
  seconds: number;
}

/** `folder` holds the owner's windows and its trained model. */
export async function auditOwner(engine: Engine, folder: string, options: OwnerAuditOptions = {}): Promise<OwnerAudit> {
  const { noise, votes = true, seed = 1 } = options;
  const start = performance.now();
  const { owner, card, model, windows } = await loadTrainedOwner(engine, folder);
  const { embeddings, logits } = predictLocal(engine, model, windows, Uint32Array.from(owner.samples.keys()));
  const sent = noise ? noiseEmbeddings(embeddings, model.width, noise).embeddings : embeddings;
  const classes = card.classes.length;
  const embed = ({ values, width }: Rows): Rows => {
    const raw = Float32Array.from(values);
    const shape = [values.length / width, card.length, card.variates.length];
    const batch = engine.buffer(shape, card.normalisation ? normalise(raw, card.normalisation) : raw);
    const found = predictLocal(
      engine,
      model,
      batch,
      Uint32Array.from({ length: shape[0] }, (_, i) => i),
    );
    engine.free(batch);
    return { values: Float64Array.from(found.embeddings), width: model.width };
  };
  try {
    const audit = auditEmbeddings(
      engine,
      {
        owner: owner.id,
        samples: owner.samples,
        embeddings: sent,
        width: model.width,
        windows: owner.windows,
        length: owner.length,
        variates: owner.variates,
        labels: owner.labels,
        parts: owner.parts,
        ...(votes && !noise && { votes: { probabilities: softmaxRows(logits, classes), classes } }),
        embed,
        ...(noise && { noise: noise.clip * noise.noise }),
      },
      seed,
    );
    const { weights, options: training } = card;
    const about = {
      model: weights,
      objective: training.objective ?? 'label',
      variates: owner.variates,
      seconds: (performance.now() - start) / 1000,
    };
    return { ...audit, ...about, ...(noise && { noise }) };
  } finally {
    model.dispose();
    engine.free(windows);
  }
}

/** Where a home folder keeps the audit of a model, under this noise. */
function auditFile(home: string, model: string, noise: NoiseOptions | undefined): string {
  return join(home, 'audits', `${model}${noise ? `-${noise.clip}-${noise.noise}` : ''}.json`);
}

/** Kept where `f3 owner push` looks for it. */
export function keepAudit(home: string, audit: OwnerAudit): string {
  const file = auditFile(home, audit.model, audit.noise);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWholeFile(file, `${JSON.stringify(audit)}\n`, `audit ${file}`, 'F3_HOME');
  return file;
}

/** The audit of this model under this noise, if there is one. */
export function findAudit(home: string, model: string, noise?: NoiseOptions): OwnerAudit | undefined {
  const file = auditFile(home, model, noise);
  if (!/^[0-9a-f]{64}$/.test(model) || !existsSync(file)) return undefined;
  try {
    const audit = JSON.parse(readFileSync(file, 'utf8')) as OwnerAudit;
    return typeof audit.worst === 'number' ? audit : undefined;
  } catch {
    return undefined; // a broken file counts as no audit: it is made again
  }
}
