// [owner] Audits what an owner would send: its folder's windows through its frozen model, with noise where it has chosen some.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeWholeFile } from '../../base/whole-file.ts';
import type { Engine } from '../../core/engine/engine.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import { readOwnerFolder } from '../../data/dataset/owner-folder.ts';
import { loadTrainedOwner } from '../../embed/load-trained-owner.ts';
import { normalise } from '../../embed/normalise-windows.ts';
import type { OnnxNames } from '../../embed/onnx/onnx-model.ts';
import { predictLocal } from '../../embed/train-local-model.ts';
import { type NoiseOptions, noiseEmbeddings } from '../noise/noise-embeddings.ts';
import { auditEmbeddings, type LeakAudit } from './audit-embeddings.ts';
import type { Rows } from './rows.ts';
import { attributeClasses, type SampleAttribute } from './sample-attributes.ts';

/** What is audited. */
export interface OwnerAuditOptions {
  /** Noise that the embeddings would get before they are sent. */
  noise?: NoiseOptions | undefined;
  /** Whether class probabilities would be sent, too; they are not under noise. */
  votes?: boolean | undefined;
  /** Other things that somebody may want to know of a sample. */
  attributes?: readonly SampleAttribute[] | undefined;
  /** A model trained elsewhere, in an ONNX file, in the place of the folder's own. */
  onnx?: { file: string; names: OnnxNames } | undefined;
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

/** `folder` holds the owner's windows, and its trained model unless that is an ONNX file. */
export async function auditOwner(engine: Engine, folder: string, options: OwnerAuditOptions = {}): Promise<OwnerAudit> {
  const { noise, votes = true, seed = 1 } = options;
  const start = performance.now();
  if (options.onnx) return auditOnnx(engine, folder, options.onnx, options);
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
        attributes: attributesOf(options, owner.samples),
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

/** The Jacobian of a graph that another program made is not at hand, so there is no bound that needs no attacker. */
async function auditOnnx(
  engine: Engine,
  folder: string,
  { file, names }: NonNullable<OwnerAuditOptions['onnx']>,
  options: OwnerAuditOptions,
): Promise<OwnerAudit> {
  const { noise, votes = true, seed = 1 } = options;
  const start = performance.now();
  const { embedWithOnnx } = await import('../../embed/onnx/embed-with-onnx.ts');
  const owner = await readOwnerFolder(folder);
  const { embeddings, width, model, classes, probabilities } = await embedWithOnnx(folder, file, names);
  const sent = noise ? noiseEmbeddings(embeddings, width, noise).embeddings : embeddings;
  const input = {
    owner: owner.id,
    samples: owner.samples,
    embeddings: sent,
    width,
    windows: owner.windows,
    length: owner.length,
    variates: owner.variates,
    labels: owner.labels,
    parts: owner.parts,
    attributes: attributesOf(options, owner.samples),
    ...(votes && !noise && probabilities && classes && { votes: { probabilities, classes } }),
  };
  const audit = auditEmbeddings(engine, input, seed);
  const seconds = (performance.now() - start) / 1000;
  const about = { model, objective: UNKNOWN_OBJECTIVE, variates: owner.variates, seconds };
  return { ...audit, ...about, ...(noise && { noise }) };
}

/** What nobody stated a model was trained for. */
export const UNKNOWN_OBJECTIVE = 'not stated';

function attributesOf({ attributes = [] }: OwnerAuditOptions, samples: readonly string[]): Record<string, Int32Array> {
  return Object.fromEntries(attributes.map((one) => [one.name, attributeClasses(one, samples)]));
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
