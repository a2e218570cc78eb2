// Prepares a database for the server bench: a federation with its members and an untrained model.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { RandomStream } from '../src/core/random.ts';
import { encodeBundle } from '../src/exchange/bundle/bundle.ts';
import { createKeyPair, type KeyPair } from '../src/exchange/identity/key-pair.ts';
import { locationOf } from '../src/server/start-server.ts';
import { type DatabaseLocation, openDatabase } from '../src/storage/database/open-database.ts';
import { createFederation } from '../src/storage/federations.ts';
import { addMember } from '../src/storage/members.ts';
import { activateModel, addModel } from '../src/storage/models.ts';
import { CoordinatorProcess } from '../test/support/coordinator-process.ts';
import { copyEmbeddedTemplate } from '../test/support/embedded-template.ts';
import { untrainedModel } from '../test/support/untrained-model.ts';

export const FEDERATION = 'metr-la';
export const WIDTH = 16;
const CLASSES = ['free', 'jam'];

export interface Scene {
  /** Owners that will send bundles. */
  owners: { owner: string; keys: KeyPair }[];
  /** Key of the member who asks for predictions. */
  asker: KeyPair;
}

/** Database and folder of a coordinator. */
export interface ServerSite {
  kind: 'embedded' | 'postgres';
  dir: string;
  /** postgres://… */
  database?: string;
}

export const locationOfSite = ({ dir, database }: ServerSite): DatabaseLocation => locationOf(dir, database);

/** Starts `f3 serve` as operators run it, with its log, but without a limit of requests per member. */
export async function startSite({ dir, database }: ServerSite, node: string[] = []): Promise<CoordinatorProcess> {
  const log = openSync(join(dir, 'log'), 'a');
  const serve = ['--log-level', 'info', '--requests-per-minute', '100000000'];
  try {
    return await CoordinatorProcess.start(dir, { ...(database && { database }), node, serve, log });
  } finally {
    closeSync(log);
  }
}

export const ownerName = (i: number): string => `owner-${String(i).padStart(3, '0')}`;
export const ownerNames = (count: number): string[] => Array.from({ length: count }, (_, i) => ownerName(i));

/** Enrols `owners` owners. The model knows the first `modelled` of them. */
export async function prepareScene(site: ServerSite, owners: number, modelled: number): Promise<Scene> {
  const location = locationOfSite(site);
  if (location.kind === 'embedded') await copyEmbeddedTemplate(location.dir);
  const store = await openDatabase(location);
  try {
    await createFederation(store.db, { name: FEDERATION });
    const enrol = async (owner: string, role: 'owner' | 'labels') => {
      const keys = await createKeyPair();
      await addMember(store.db, { federation: FEDERATION, owner, role, keyId: keys.id, publicKey: keys.publicKey });
      return { owner, keys };
    };
    const senders: Scene['owners'] = [];
    for (let i = 0; i < owners; i++) senders.push(await enrol(ownerName(i), 'owner'));
    const { keys: asker } = await enrol('holder', 'labels');
    const { card, weights } = await untrainedModel(ownerNames(modelled), WIDTH, CLASSES);
    await addModel(store.db, { federation: FEDERATION, training: null, card: { ...card }, weights });
    await activateModel(store.db, FEDERATION, 1);
    return { owners: senders, asker };
  } finally {
    await store.close();
  }
}

/** A bundle as owner number `i` sends it. */
export function randomBundle(i: number, samples: number, seed = 3): Uint8Array {
  const embeddings = new Float32Array(samples * WIDTH);
  new RandomStream(seed, i).fillUniform(embeddings, -1, 1);
  const ids = Array.from({ length: samples }, (_, s) => new Date(s * 3_600_000).toISOString().slice(0, 16));
  return encodeBundle({ owner: ownerName(i), samples: ids, sampleType: 'text', width: WIDTH, embeddings });
}

/** Embeddings of one sample: [owner, width] */
export function randomSample(owners: number, seed: number): Float32Array {
  const values = new Float32Array(owners * WIDTH);
  new RandomStream(4, seed).fillUniform(values, -1, 1);
  return values;
}
