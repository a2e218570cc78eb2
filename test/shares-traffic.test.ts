// Everything that goes over the lines of three entities while owners push and a model is trained, with TLS taken off: to any one of them it is
// of the same distribution whatever the embeddings are. Chance has fixed seeds here, and a twin of each test takes it away and must notice.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Engine } from '../src/core/engine/engine.ts';
import { fromBytes, modulo, toBytes } from '../src/core/reference/field.ts';
import type { Bundle } from '../src/exchange/bundle/bundle.ts';
import { createKeyPair, type KeyPair } from '../src/exchange/identity/key-pair.ts';
import { type FusionConfig, sharesPreset } from '../src/fuse/fusion-config.ts';
import { trainOnShares } from '../src/fuse/on-shares/train-on-shares.ts';
import { admit } from '../src/shares/admission.ts';
import { type Charter, charterFingerprint, makeCharter, parseEntityAddress } from '../src/shares/charter.ts';
import { EntityLines } from '../src/shares/desk/entity-lines.ts';
import { EntityFolder } from '../src/shares/entity/entity-folder.ts';
import { runConversation } from '../src/shares/entity/run-conversation.ts';
import { type RunningEntity, startEntity } from '../src/shares/entity/start-entity.ts';
import { EntityCalls } from '../src/shares/entity-calls.ts';
import { Field } from '../src/shares/field.ts';
import { Ledger } from '../src/shares/ledger.ts';
import { selfSignedCertificate } from '../src/shares/link/self-signed-certificate.ts';
import { sendShare } from '../src/shares/owner/send-share.ts';
import { type SplitBundle, splitBundle } from '../src/shares/owner/split-bundle.ts';
import { Scheme } from '../src/shares/scheme.ts';
import { byteDifference } from './support/byte-difference.ts';
import { findNumbers } from './support/find-numbers.ts';
import { freePorts } from './support/free-ports.ts';
import { type HeardFrame, OpenTap } from './support/open-tap.ts';
import { suiteDirectory } from './support/temporary-directory.ts';
import { toyBundle, toyLabels } from './support/toy-bundles.ts';
import { TrafficTap } from './support/traffic-tap.ts';

/** Where chance comes from in this file: streams of fixed seeds, and nothing at all for masks that are taken away. */
const chance = vi.hoisted(() => ({
  /** Whose masks are left out: none, those of sets with this entity in them, or all; with all, polynomials are constant. */
  without: undefined as undefined | 'all' | number,
  drawn: new Map<number, number>(),
  /** Sets of entities, by what is derived from their keys. */
  sets: new Map<string, string>(),
}));

vi.mock('node:crypto', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:crypto')>();
  const draw = (count: number): Buffer => {
    const place = chance.drawn.get(count) ?? 0;
    chance.drawn.set(count, place + 1);
    const key = real.createHash('sha256').update(`${count} ${place}`).digest();
    return real.createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(count));
  };
  const hex = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString('hex');
  return {
    ...real,
    randomBytes: draw,
    randomFillSync: (bytes: Uint8Array) =>
      bytes.set(chance.without === 'all' ? Buffer.alloc(bytes.length) : draw(bytes.length)),
    // Without the charter in it, whose addresses are others each time; the keys of sets are followed.
    hkdfSync: (digest: string, key: Uint8Array, _salt: unknown, info: string, length: number) => {
      const derived = real.hkdfSync(digest, key, '', info, length);
      const set = /^f3 set key (.*)$/.exec(info)?.[1] ?? chance.sets.get(hex(key));
      if (set !== undefined) chance.sets.set(hex(derived), set);
      return derived;
    },
    createCipheriv: (name: string, key: Uint8Array, place: Uint8Array) => {
      const members = chance.sets.get(hex(key))?.split(' ').map(Number) ?? [];
      const isAway = chance.without === 'all' || members.includes(chance.without as number);
      if (isAway) return { update: (bytes: Uint8Array) => Buffer.alloc(bytes.length) };
      return real.createCipheriv(name as 'aes-128-ctr', key, place);
    },
  };
});

const [OWNERS, SAMPLES, WIDTH] = [3, 100, 8];
const ENTITIES = [1, 2, 3];
const LONG_MS = 600_000;
/** Standard deviations of χ²: chance goes further less than once in 10¹² times, and here it goes the same way each time. */
const CHANCE = 9;
/** No chance comes near. */
const PLAIN = 40;

/** What an entity has got, and what all of them have put together from it, as numbers of 16 bytes. */
interface View {
  /** Its shares of the embeddings. */
  shares: Uint8Array;
  /** From each of the others, masked. */
  messages: Uint8Array[];
  /** What messages and its own amount to. */
  opened: Uint8Array;
  /** The coordinator's gradients, of which it gets a share. */
  gradients: Uint8Array;
  /** Everything else that the coordinator told it, names of this training left out. */
  commands: string[];
}

describe('all traffic of three entities', () => {
  const dir = suiteDirectory();
  const folderOf = (entity: number) => join(dir, `entity-${entity}`);
  const running: RunningEntity[] = [];
  const [taps, sealed]: [OpenTap[], TrafficTap[]] = [[], []];
  const owners: KeyPair[] = [];
  const scheme = new Scheme(1, 3);
  const engine = new Engine({ threads: 1 });
  let coordinator: KeyPair;
  let charter: Charter;
  let lines: EntityLines;
  const one = Array.from({ length: OWNERS }, (_, i) => toyBundle(i, { samples: SAMPLES, width: () => WIDTH }));
  const other = one.map((bundle) => ({ ...bundle, embeddings: bundle.embeddings.map((value) => 7 - 5 * value) }));
  /** By embeddings, with chance and without. */
  const pushed = new Map<string, SplitBundle[]>();

  beforeAll(async () => {
    coordinator = await createKeyPair();
    for (let i = 0; i < OWNERS; i++) owners.push(await createKeyPair());
    const ports = await freePorts(3);
    const addresses: string[] = [];
    for (const entity of ENTITIES) {
      const { keys } = await EntityFolder.create(folderOf(entity), 'tls://127.0.0.1:1');
      const tap = new OpenTap(keys, ports[entity - 1]);
      const front = new TrafficTap(await tap.listen());
      taps.push(tap);
      sealed.push(front);
      addresses.push((await EntityFolder.create(folderOf(entity), `tls://127.0.0.1:${await front.listen()}`)).address);
    }
    charter = makeCharter('grid', 1, coordinator.id, addresses.map(parseEntityAddress));
    for (const entity of ENTITIES) {
      const folder = await EntityFolder.open(folderOf(entity));
      for (const tap of taps) tap.know(`entity ${entity}`, folder.keys);
      folder.admit(charterFingerprint(charter));
      folder.install(charter);
    }
    for (const tap of taps) {
      tap.know('coordinator', coordinator);
      for (const [i, keys] of owners.entries()) tap.know(one[i].owner, keys);
    }
    for (const entity of ENTITIES) {
      running.push(await startEntity({ data: folderOf(entity), port: ports[entity - 1], program: runConversation }));
    }
    lines = new EntityLines({ charter, certified: selfSignedCertificate(coordinator) });
    for (const entity of ENTITIES) await lines.ask(entity, 'agree', { facts: {} });
    await push('one', one, 1);
    await push('other', other, 2);
    chance.without = 'all';
    await push('one, bare', one, 3);
    await push('other, bare', other, 4);
    chance.without = undefined;
  }, LONG_MS);
  afterAll(async () => {
    lines?.close();
    for (const entity of running) await entity.close();
    for (const tap of [...taps, ...sealed]) tap.close();
    await engine.dispose();
  }, LONG_MS);

  async function push(name: string, bundles: readonly Bundle[], version: number): Promise<void> {
    const splits: SplitBundle[] = [];
    for (const [i, bundle] of bundles.entries()) {
      const keys = owners[i];
      const about = { charter: charterFingerprint(charter), owner: bundle.owner, keyId: keys.id };
      const split = await splitBundle(bundle, charter, version, keys);
      const admission = async () => admit(coordinator, about);
      const certified = selfSignedCertificate(keys);
      for (const entity of ENTITIES) await sendShare({ charter, entity, certified, admission, split });
      splits.push(split);
    }
    pushed.set(name, splits);
  }

  const config: FusionConfig = {
    ...sharesPreset,
    graph: 'given',
    ownerDropout: 0,
    learningRate: 0.01,
    batch: 30,
    hidden: 4,
    epochs: 1,
  };

  /** Trains on what was pushed under this name → the frames that went over each entity's lines meanwhile, entity 1 first. */
  async function train(name: string): Promise<HeardFrame[][]> {
    const before = taps.map(({ frames }) => frames.length);
    const rows = Uint32Array.from({ length: SAMPLES }, (_, i) => i);
    const split = { train: rows.subarray(0, 60), validation: rows.subarray(60, 80), test: rows.subarray(80) };
    const places = new Uint8Array(Int32Array.from({ length: OWNERS * SAMPLES }, (_, i) => i % SAMPLES).buffer);
    const about = { samples: SAMPLES, roots: pushed.get(name)?.map(({ root }) => root) };
    const transport = await lines.converse(ENTITIES, about, places);
    const calls = new EntityCalls(transport, ENTITIES, transport.id);
    const link = { field: new Field(engine), scheme, transport, ledger: new Ledger(), calls };
    const adjacency = new Float32Array(OWNERS * OWNERS).fill(1);
    const shape = { owners: OWNERS, width: WIDTH, classes: 2, adjacency };
    await trainOnShares(engine, link, config, shape, { labels: toyLabels(SAMPLES, 2, 1), split });
    await calls.call({ kind: 'end' });
    lines.end(transport);
    link.field.dispose();
    return taps.map(({ frames }, i) => frames.slice(before[i]));
  }

  /** The entity's view of a push and of a training on it. */
  async function viewOf(entity: number, name: string): Promise<View> {
    const heard = await train(name);
    const sent = (to: number, from: string) =>
      heard[to - 1].flatMap(({ head, bytes, caller, by }) =>
        head.kind === 'message' && by === 'caller' && caller === from ? [{ tag: head.tag, bytes }] : [],
      );
    const openings = (to: number, from: number) => Buffer.concat(sent(to, `entity ${from}`).map(({ bytes }) => bytes));
    const others = ENTITIES.filter((peer) => peer !== entity);
    // Its own part is what it sent to the others, the same to both.
    const parts = ENTITIES.map((from) => fromBytes(openings(from === entity ? others[0] : entity, from)));
    const weights = scheme.weights(ENTITIES);
    const opened = parts[0].map((_, i) => modulo(parts.reduce((sum, part, j) => sum + weights[j] * part[i], 0n)));
    const told = sent(entity, 'coordinator');
    const isShare = ({ tag }: { tag: string }) => tag.endsWith(' logit gradients');
    const splits = pushed.get(name) ?? [];
    const appended = splits.map(({ root }) =>
      taps[entity - 1].frames.flatMap(({ head, bytes }) =>
        head.kind === 'ask' && head.what === 'append' && head.facts.root === root ? [bytes] : [],
      ),
    );
    return {
      shares: Buffer.concat(appended.flat()),
      messages: others.map((from) => openings(entity, from)),
      opened: toBytes(opened),
      gradients: Buffer.concat(told.filter(isShare).map(({ bytes }) => bytes)),
      commands: told
        .filter((said) => !isShare(said))
        .map(({ tag, bytes }) => {
          const text = `${tag} ${Buffer.from(bytes).toString('latin1')}`;
          return text.replace(/[0-9a-f]{32}/g, 'name');
        }),
    };
  }

  /** How far the worst of the view's parts is from uniform numbers, or from the other view. */
  const worst = (a: View, b?: View): Record<string, number> => ({
    shares: byteDifference(a.shares, b?.shares),
    messages: Math.max(...a.messages.map((bytes, i) => byteDifference(bytes, b?.messages[i]))),
    gradients: byteDifference(a.gradients, b?.gradients),
    // Masks have 124 bits, so that the last byte is never uniform.
    opened: byteDifference(a.opened, b?.opened, b ? 16 : 15),
  });

  it.each(ENTITIES)(
    'is of one distribution for two embeddings to entity %i, less all masks that it knows, and uniform',
    async (entity) => {
      chance.without = entity;
      const [a, b] = [await viewOf(entity, 'one'), await viewOf(entity, 'other')];
      chance.without = undefined;
      expect(a.shares.length).toBe(OWNERS * SAMPLES * WIDTH * 16);
      expect(a.opened.length).toBeGreaterThan(2000 * 16);
      expect(a.gradients.length).toBe(60 * 2 * 16);
      for (const found of [worst(a), worst(b), worst(a, b)]) {
        for (const [part, distance] of Object.entries(found)) expect(distance, part).toBeLessThan(CHANCE);
      }
      // What the coordinator says beside is the same to the last byte, whatever the embeddings are.
      expect(a.commands.length).toBeGreaterThan(3);
      expect(b.commands).toEqual(a.commands);
    },
    LONG_MS,
  );

  it(
    'differs plainly in every part of it when the randomness is taken away',
    async () => {
      chance.without = 'all';
      const [a, b] = [await viewOf(2, 'one, bare'), await viewOf(2, 'other, bare')];
      chance.without = undefined;
      for (const found of [worst(a), worst(b)]) {
        for (const [part, distance] of Object.entries(found)) expect(distance, part).toBeGreaterThan(PLAIN);
      }
      const { gradients, ...ofEmbeddings } = worst(a, b);
      for (const [part, distance] of Object.entries(ofEmbeddings)) expect(distance, part).toBeGreaterThan(PLAIN);
      expect(gradients).toBeGreaterThan(CHANCE);
    },
    LONG_MS,
  );

  it('tells the coordinator logits, answers without content, and nothing else', () => {
    const told = taps.flatMap(({ frames }) =>
      frames.filter(({ caller, by }) => caller === 'coordinator' && by === 'entity'),
    );
    const tags = told.flatMap(({ head, bytes }) => (head.kind === 'message' ? [{ tag: head.tag, bytes }] : []));
    const others = tags.filter(({ tag }) => !tag.endsWith(' logits'));
    expect(tags.length - others.length).toBeGreaterThan(0);
    for (const { tag, bytes } of others) {
      expect(tag).toMatch(/^[0-9a-f]{32} answer \d+$/);
      expect(bytes.length).toBeLessThan(40);
    }
    for (const { head, bytes } of told) if (head.kind === 'answer') expect(bytes.length).toBe(0);
  });

  it('gives share j to entity j and to nobody else, and shows nothing to whoever has no key', () => {
    const bundles = { one, other };
    for (const entity of ENTITIES) {
      const files = readdirSync(folderOf(entity), { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      );
      const kept = Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
      const heard = Buffer.concat(
        taps[entity - 1].frames.flatMap(({ head, bytes }) => [Buffer.from(JSON.stringify(head)), Buffer.from(bytes)]),
      );
      const wire = sealed[entity - 1].sent();
      expect(wire.length).toBeGreaterThan(OWNERS * SAMPLES * WIDTH * 16);
      for (const [name, set] of Object.entries(bundles)) {
        for (const [i, { shares }] of (pushed.get(name) ?? []).entries()) {
          for (const [j, { bytes, salt }] of shares.entries()) {
            const [start, word] = [Buffer.from(bytes.subarray(0, 64)), Buffer.from(salt).toString('base64url')];
            expect(kept.includes(start)).toBe(j + 1 === entity);
            expect(heard.includes(start)).toBe(j + 1 === entity);
            expect(kept.includes(word)).toBe(j + 1 === entity);
            expect(wire.includes(start)).toBe(false);
          }
          for (const bytes of [kept, heard, wire]) {
            expect(bytes.includes(set[i].samples[0])).toBe(false);
            if (i === 0) expect(findNumbers(bytes, set[i].embeddings.subarray(0, 4))).toEqual([]);
          }
        }
      }
    }
  });
});
