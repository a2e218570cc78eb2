// [owner] Audits what an owner would send: its folder's windows through its frozen model, with noise where it has chosen some.
import type { Engine } from '../../core/engine/engine.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import type { OwnerData } from '../../data/dataset/dataset-format.ts';
import { readOwnerFolder } from '../../data/dataset/owner-folder.ts';
import { loadTrainedOwner } from '../../embed/load-trained-owner.ts';
import { normalise } from '../../embed/normalise-windows.ts';
import type { OnnxNames } from '../../embed/onnx/onnx-model.ts';
import { modelHash } from '../../embed/owner-model.ts';
import { predictLocal } from '../../embed/train-local-model.ts';
import { type NoiseOptions, noiseEmbeddings } from '../noise/noise-embeddings.ts';
import { seededDraw } from '../noise/secret-numbers.ts';
import { auditEmbeddings, type LeakAudit } from './audit-embeddings.ts';
import type { EmbedWindows } from './jacobian-bound.ts';
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
  /** SHA-256 of the local model's weights and of how its answers are rounded, or of the embeddings where no model is at hand. */
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
export function auditOwner(engine: Engine, folder: string, options: OwnerAuditOptions = {}): Promise<OwnerAudit> {
  return options.onnx ? auditOnnx(engine, folder, options.onnx, options) : auditTrained(engine, folder, options);
}

async function auditTrained(engine: Engine, folder: string, options: OwnerAuditOptions): Promise<OwnerAudit> {
  const start = performance.now();
  const { owner, card, model, windows } = await loadTrainedOwner(engine, folder);
  const { width } = model;
  const { embeddings, logits } = predictLocal(engine, model, windows, Uint32Array.from(owner.samples.keys()));
  const classes = card.classes.length;
  const embed = ({ values, width: size }: Rows): Rows => {
    const raw = Float32Array.from(values);
    const shape = [values.length / size, card.length, card.variates.length];
    const batch = engine.buffer(shape, card.normalisation ? normalise(raw, card.normalisation) : raw);
    const all = Uint32Array.from({ length: shape[0] }, (_, i) => i);
    const found = predictLocal(engine, model, batch, all);
    engine.free(batch);
    return { values: Float64Array.from(found.embeddings), width };
  };
  const { options: training } = card;
  // Rounding has no gradient, so there is no bound where answers are rounded.
  const gradient = card.answers ? {} : { embed };
  const made = { embeddings, width, model: modelHash(card), objective: training.objective ?? 'label', ...gradient };
  const votes = { probabilities: softmaxRows(logits, classes), classes };
  try {
    return auditMade(engine, owner, { ...made, votes }, options, start);
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
  const start = performance.now();
  const { embedWithOnnx } = await import('../../embed/onnx/embed-with-onnx.ts');
  const owner = await readOwnerFolder(folder);
  const { embeddings, width, model, classes, probabilities } = await embedWithOnnx(folder, file, names);
  const votes = probabilities && classes ? { probabilities, classes } : undefined;
  return auditMade(engine, owner, { embeddings, width, model, votes }, options, start);
}

/** What a model made of an owner's windows. */
export interface MadeEmbeddings {
  /** [sample, d], before noise */
  embeddings: Float32Array;
  width: number;
  votes?: { probabilities: ArrayLike<number>; classes: number } | undefined;
  /** What names the model, or the embeddings: see `OwnerAudit`. */
  model: string;
  /** What it was trained for, where that is known. */
  objective?: string | undefined;
  embed?: EmbedWindows | undefined;
}

/** The readings of an owner, with labels and parts where they are known. */
export type AuditedReadings = Pick<OwnerData, 'id' | 'samples' | 'windows' | 'length' | 'variates'> &
  Partial<Pick<OwnerData, 'labels' | 'parts'>>;

/** Attacks what would be sent: under noise where some is chosen, which keeps votes at home. */
export function auditMade(
  engine: Engine,
  { id, samples, windows, length, variates, labels, parts }: AuditedReadings,
  { embeddings, width, votes, model, objective = UNKNOWN_OBJECTIVE, embed }: MadeEmbeddings,
  options: OwnerAuditOptions,
  start: number,
): OwnerAudit {
  const { noise, seed = 1 } = options;
  const sent = noise ? noiseEmbeddings(embeddings, width, noise, seededDraw(seed)).embeddings : embeddings;
  const areVotesSent = (options.votes ?? true) && !noise;
  const input = {
    owner: id,
    samples,
    embeddings: sent,
    width,
    windows,
    length,
    variates,
    labels,
    parts,
    attributes: attributesOf(options, samples),
    ...(areVotesSent && { votes }),
    embed,
    ...(noise && { noise: noise.clip * noise.noise }),
  };
  const audit = auditEmbeddings(engine, input, seed);
  const seconds = (performance.now() - start) / 1000;
  return { ...audit, model, objective, variates, seconds, ...(noise && { noise }) };
}

/** What nobody stated a model was trained for. */
export const UNKNOWN_OBJECTIVE = 'not stated';

function attributesOf({ attributes = [] }: OwnerAuditOptions, samples: readonly string[]): Record<string, Int32Array> {
  return Object.fromEntries(attributes.map((one) => [one.name, attributeClasses(one, samples)]));
}
