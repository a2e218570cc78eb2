// [coordinator] Shows one model of this machine as the dashboard does: a coordinator on loopback, in a folder of its own, that holds
// this model and what it can be scored on, and whose sessions change nothing.
import { join } from 'node:path';
import { sha256 } from '../base/sha256.ts';
import { encodeBundle } from '../exchange/bundle/bundle.ts';
import { type BundleSource, openBundles } from '../exchange/bundle/bundle-sources.ts';
import { dashboardUrl } from '../exchange/identity/dashboard-url.ts';
import { createKeyPair } from '../exchange/identity/key-pair.ts';
import { type LabelSource, readLabels } from '../exchange/labels/label-sources.ts';
import { encodeLabels } from '../exchange/labels/labels.ts';
import { readSplit, type SplitSource } from '../exchange/labels/split-sources.ts';
import type { FusedCard } from '../fuse/model/fused-card.ts';
import { writeBlob } from '../storage/blobs.ts';
import { addBundle } from '../storage/bundles.ts';
import { createFederation } from '../storage/federations.ts';
import { addLabelSet } from '../storage/label-sets.ts';
import { addMember } from '../storage/members.ts';
import { activateModel, addModel } from '../storage/models.ts';
import type { Db, JsonObject, MemberRow } from '../storage/schema.ts';
import { createTraining } from '../storage/trainings.ts';
import { newSessionCode } from './routes/sessions.ts';
import { type OpenedServer, openServer } from './start-server.ts';
import type { TrainingPlan } from './training/training-plan.ts';

/** What the model is scored on. */
export interface LocalData {
  bundles: BundleSource | readonly BundleSource[];
  labels: LabelSource;
  split: SplitSource;
}

export interface OpenedModelOptions {
  card: FusedCard;
  weights: Uint8Array;
  data?: LocalData | undefined;
  /** A folder that is the caller's to remove. */
  folder: string;
  port?: number | undefined;
}

export interface OpenedLocalModel {
  /** Opens the page once. */
  link(): Promise<string>;
  close(): Promise<void>;
}

const FEDERATION = 'model';
const READER = 'reader';

export async function openLocalModel({
  card,
  weights,
  data,
  folder,
  port = 0,
}: OpenedModelOptions): Promise<OpenedLocalModel> {
  const server = await openServer({
    data: join(folder, 'coordinator'),
    host: '127.0.0.1',
    port,
    work: false,
    isReadOnly: true,
  });
  try {
    const reader = await fill(server, { card, weights, data });
    return {
      link: async () => dashboardUrl(server.url, (await newSessionCode(server.store, reader)).code),
      close: () => server.close(),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** The reader holds the labels, so that it is told everything: they are its own. */
async function fill(
  { store }: OpenedServer,
  { card, weights, data }: Omit<OpenedModelOptions, 'folder'>,
): Promise<MemberRow> {
  const { db } = store;
  await createFederation(db, { name: FEDERATION, classes: card.classes });
  const reader = await newMember(db, READER, 'labels');
  const plan = data && (await keepData(db, card, data, reader));
  const training =
    plan &&
    (await createTraining(db, {
      federation: FEDERATION,
      requestedBy: READER,
      askedBy: reader.id,
      disclosure: { holder: reader.id },
      options: plan as unknown as JsonObject,
    }));
  if (training)
    await db
      .updateTable('trainings')
      .set({ status: 'done', finished: new Date() })
      .where('id', '=', training.id)
      .execute();
  const { version } = await addModel(db, {
    federation: FEDERATION,
    training: training?.id ?? null,
    card: { ...card },
    weights,
  });
  await activateModel(db, FEDERATION, version);
  return reader;
}

async function newMember(db: Db, owner: string, role: 'owner' | 'labels'): Promise<MemberRow> {
  const { id: keyId, publicKey } = await createKeyPair();
  return addMember(db, { federation: FEDERATION, owner, role, keyId, publicKey });
}

/** Keeps bundles and labels as if they had been sent, and returns what a training on them would have been asked. */
async function keepData(
  db: Db,
  card: FusedCard,
  { bundles, labels, split }: LocalData,
  reader: MemberRow,
): Promise<TrainingPlan> {
  const set = await readLabels(labels, card.classes);
  const sources: TrainingPlan['bundles'] = [];
  const known = new Set(card.owners.map(({ owner }) => owner));
  for await (const { bundle } of openBundles(bundles)) {
    if (!known.has(bundle.owner)) continue;
    const { id: member } = await newMember(db, bundle.owner, 'owner');
    const kept = await keep(db, encodeBundle(bundle));
    const summary = { samples: bundle.samples.length, width: bundle.width };
    const { version } = await addBundle(db, { federation: FEDERATION, owner: bundle.owner, member, ...kept, summary });
    sources.push({ owner: bundle.owner, version });
  }
  const kept = await keep(db, encodeLabels(set));
  const summary = { samples: set.samples.length, classes: set.classes };
  const { version } = await addLabelSet(db, { federation: FEDERATION, member: reader.id, ...kept, summary });
  return {
    config: card.config,
    split: await readSplit(split, set.samples),
    classes: card.classes,
    bundles: sources,
    labels: version,
  };
}

async function keep(db: Db, bytes: Uint8Array): Promise<{ blob: string; sha256: string; size: number }> {
  return { blob: await writeBlob(db, bytes), sha256: sha256(bytes), size: bytes.length };
}
