// The requests of which attacks are made: those of any member, sound or spoiled.
import { createHash } from 'node:crypto';
import { encodeArrow, floatListColumn, textColumn } from '../../src/base/arrow-table.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { type Bundle, encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { createKeyPair } from '../../src/exchange/identity/key-pair.ts';
import { type Answered, type Asked, type FederationScene, SAMPLES, WIDTH } from './federation-scene.ts';
import { toyBundle } from './toy-bundles.ts';

export const GRID = '/v1/federations/grid';
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** An attack that the coordinator must refuse: what is stored before `attack` is called must be stored after it. */
export interface Attack {
  name: string;
  code: ErrorCode;
  prepare?: (scene: FederationScene) => Promise<unknown>;
  attack: (scene: FederationScene, prepared: never) => Promise<Answered>;
}

/** Opens, sends and completes an upload. Gives the first refusal, or the last answer. */
export async function push(
  scene: FederationScene,
  member: string,
  bytes: Uint8Array,
  { kind = 'bundle', sha256 = hashOf(bytes) }: { kind?: 'bundle' | 'labels'; sha256?: string } = {},
): Promise<Answered> {
  const opened = await open(scene, member, { kind, sha256, size: bytes.length });
  if (opened.status !== 200) return opened;
  const { id } = JSON.parse(opened.body) as { id: string };
  const sent = await append(scene, member, id, bytes);
  return sent.status === 200 ? scene.ask(member, complete(id)) : sent;
}

export const open = (scene: FederationScene, member: string, body: { kind: string; sha256: string; size: number }) =>
  scene.ask(member, { method: 'POST', path: `${GRID}/uploads`, body });
export const append = (scene: FederationScene, member: string, id: string, body: Uint8Array) =>
  scene.ask(member, { method: 'PUT', path: `${GRID}/uploads/${id}?offset=0`, body, type: 'application/octet-stream' });
export const complete = (id: string): Asked => ({ method: 'POST', path: `${GRID}/uploads/${id}/complete` });
export const openedId = async (scene: FederationScene, member: string, size: number): Promise<string> =>
  JSON.parse(
    (await open(scene, member, { kind: 'bundle', sha256: hashOf(Buffer.from(`${Math.PI * size}`)), size })).body,
  ).id;

export const toy = (change: (bundle: Bundle) => Partial<Bundle> = () => ({})): Uint8Array => {
  const bundle = toyBundle(0, { samples: SAMPLES, width: () => WIDTH, seed: 3 });
  return encodeBundle({ ...bundle, ...change(bundle) });
};
export const withValue = (value: number) =>
  toy(({ embeddings }) => ({ embeddings: embeddings.map((number, at) => (at === 7 ? value : number)) }));
export const predict = (body: Asked['body'], type = 'application/json'): Asked => ({
  method: 'POST',
  path: `${GRID}/predict`,
  body: body ?? {},
  type,
});
export const sampleOf = (embedding: number[], id = 's') => ({ id, embeddings: { 'owner-0': embedding } });
export const arrowOf = (values: number[], width: number) =>
  encodeArrow(
    {
      sample: textColumn(['s']),
      owner: textColumn(['owner-0']),
      embedding: floatListColumn(Float32Array.from(values), width),
    },
    {},
  );
export const live = (body: object): Asked => ({ method: 'POST', path: `${GRID}/live/now`, body });
export const zeros = (width: number) => new Array<number>(width).fill(0);
export const enrol = async (code: string): Promise<Asked> => ({
  method: 'POST',
  path: '/v1/enrol',
  token: '',
  body: { code, publicKey: (await createKeyPair()).publicKey },
});
