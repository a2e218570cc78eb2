// Fusion on shares in processes: three entities, each with its own folder and key, owners that send each its share, a training, and kill -9.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../src/core/engine/engine.ts';
import { createKeyPair, type KeyPair } from '../src/exchange/identity/key-pair.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import type { SharesTrainingState } from '../src/fuse/on-shares/shares-state.ts';
import { trainOnShares } from '../src/fuse/on-shares/train-on-shares.ts';
import { admit } from '../src/shares/admission.ts';
import { type Charter, charterFingerprint, makeCharter, parseEntityAddress } from '../src/shares/charter.ts';
import { checkEntities } from '../src/shares/desk/check-entities.ts';
import { EntityLines } from '../src/shares/desk/entity-lines.ts';
import { EntityFolder } from '../src/shares/entity/entity-folder.ts';
import { EntityCalls } from '../src/shares/entity-calls.ts';
import { Field } from '../src/shares/field.ts';
import { Ledger, OPENINGS } from '../src/shares/ledger.ts';
import { selfSignedCertificate } from '../src/shares/link/self-signed-certificate.ts';
import { sendShare } from '../src/shares/owner/send-share.ts';
import { type SplitBundle, splitBundle } from '../src/shares/owner/split-bundle.ts';
import { Scheme } from '../src/shares/scheme.ts';
import { f3Environment, MAIN } from './cli/run-f3.ts';
import { findNumbers } from './support/find-numbers.ts';
import { freePorts } from './support/free-ports.ts';
import { suiteDirectory } from './support/temporary-directory.ts';
import { toyBundle, toyLabels } from './support/toy-bundles.ts';
import { TrafficTap } from './support/traffic-tap.ts';

const [OWNERS, SAMPLES] = [4, 60];
const ENTITIES = [1, 2, 3];
const LONG_MS = 300_000;

describe('three entities in processes of their own', () => {
  const dir = suiteDirectory();
  const folderOf = (entity: number) => join(dir, `entity-${entity}`);
  const children = new Map<number, ChildProcess>();
  const taps: TrafficTap[] = [];
  const splits: SplitBundle[] = [];
  const bundles = Array.from({ length: OWNERS }, (_, i) => toyBundle(i, { samples: SAMPLES }));
  let ports: number[];
  let coordinator: KeyPair;
  let charter: Charter;
  let lines: EntityLines;
  const engine = new Engine({ threads: 1 });

  const start = async (entity: number) => {
    const args = ['entity', 'serve', '--data', folderOf(entity), '--port', String(ports[entity - 1]), '--json'];
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: f3Environment({}),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.set(entity, child);
    for await (const line of createInterface({ input: child.stdout! })) {
      expect(JSON.parse(line)).toMatchObject({ port: ports[entity - 1] });
      return;
    }
    throw new Error(`entity ${entity} ended before it listened`);
  };
  const kill = async (entity: number) => {
    const child = children.get(entity)!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  beforeAll(async () => {
    coordinator = await createKeyPair();
    ports = await freePorts(3);
    const addresses: string[] = [];
    for (const entity of ENTITIES) {
      // Owners, entities and the coordinator reach each entity over a line that is listened to.
      const tap = new TrafficTap(ports[entity - 1]);
      taps.push(tap);
      addresses.push((await EntityFolder.create(folderOf(entity), `tls://127.0.0.1:${await tap.listen()}`)).address);
    }
    charter = makeCharter('grid', 1, coordinator.id, addresses.map(parseEntityAddress));
    for (const entity of ENTITIES) (await EntityFolder.open(folderOf(entity))).admit(charterFingerprint(charter));
    await Promise.all(ENTITIES.map(start));
    lines = new EntityLines({ charter, certified: selfSignedCertificate(coordinator) });
    expect((await check()).map(({ state }) => state)).toEqual(Array(3).fill('ready'));
  }, LONG_MS);
  afterAll(async () => {
    lines?.close();
    await Promise.all([...children.keys()].map(kill));
    for (const tap of taps) tap.close();
    await engine.dispose();
  }, LONG_MS);

  const check = () => checkEntities(lines, { roots: splits.map(({ root }) => root), epochs: new Map() });

  /** Everything that an entity has on its disk. */
  const disk = (entity: number): Buffer => {
    const files = readdirSync(folderOf(entity), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    return Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
  };

  it(
    'get share j at entity j only, and no line shows a share or an embedding',
    async () => {
      for (const bundle of bundles) {
        const owner = await createKeyPair();
        const about = { charter: charterFingerprint(charter), owner: bundle.owner, keyId: owner.id };
        const split = await splitBundle(bundle, charter, 1, owner);
        splits.push(split);
        const admission = async () => admit(coordinator, about);
        const certified = selfSignedCertificate(owner);
        await Promise.all(ENTITIES.map((entity) => sendShare({ charter, entity, certified, admission, split })));
      }
      expect((await check()).map(({ state, held }) => [state, held.length])).toEqual(Array(3).fill(['ready', OWNERS]));
      for (const entity of ENTITIES) {
        const [kept, wire] = [disk(entity), taps[entity - 1].sent()];
        expect(wire.length).toBeGreaterThan(splits.length * splits[0].shares[0].bytes.length);
        for (const [i, { shares }] of splits.entries()) {
          for (const [j, { bytes, salt }] of shares.entries()) {
            expect(kept.includes(Buffer.from(bytes))).toBe(j + 1 === entity);
            expect(kept.includes(Buffer.from(salt).toString('base64url'))).toBe(j + 1 === entity);
            expect(wire.includes(Buffer.from(bytes.subarray(0, 64)))).toBe(false);
          }
          expect(findNumbers(kept, bundles[i].embeddings)).toEqual([]);
          expect(findNumbers(wire, bundles[i].embeddings)).toEqual([]);
          expect(bundles[i].samples.some((sample) => kept.includes(sample))).toBe(false);
        }
      }
    },
    LONG_MS,
  );

  it(
    'train together, and go on from a checkpoint after kill -9 of one of them',
    async () => {
      const scheme = new Scheme(1, 3);
      const config: FusionConfig = {
        ...paperPreset,
        activation: 'quadratic',
        optimizer: 'sgd',
        graphsPer: 'batch',
        learningRate: 0.1,
        batch: 10,
        hidden: 4,
        epochs: 2,
      };
      const shape = { owners: OWNERS, width: bundles[0].width, classes: 2 };
      const rows = Uint32Array.from({ length: SAMPLES }, (_, i) => i);
      const split = { train: rows.subarray(0, 40), validation: rows.subarray(40, 50), test: rows.subarray(50) };
      const data = { labels: toyLabels(SAMPLES, 2, 1), split };
      const places = new Uint8Array(Int32Array.from({ length: OWNERS * SAMPLES }, (_, i) => i % SAMPLES).buffer);
      const ledger = new Ledger();
      const converse = async () => {
        const about = { samples: SAMPLES, roots: splits.map(({ root }) => root) };
        const transport = await lines.converse(ENTITIES, about, places);
        const calls = new EntityCalls(transport, ENTITIES, transport.id);
        return { field: new Field(engine), scheme, transport, ledger, calls };
      };

      const whole: number[] = [];
      const first = await converse();
      await trainOnShares(engine, first, config, shape, data, { onStep: (_, loss) => whole.push(loss) });
      await first.calls.call({ kind: 'end' });

      const losses: number[] = [];
      let resume: SharesTrainingState | undefined;
      const second = await converse();
      const cut = trainOnShares(engine, second, config, shape, data, {
        checkpointEvery: 2,
        onCheckpoint: (state) => {
          resume = { ...state };
        },
        onStep: (step, loss) => {
          losses[step] = loss;
          if (losses.filter((one) => one !== undefined).length === 5) children.get(2)!.kill('SIGKILL');
        },
      });
      await expect(cut).rejects.toMatchObject({ code: 'F3_SHARES_AWAY' });
      await kill(2);
      expect((await check()).map(({ state }) => state)).toEqual(['ready', 'away', 'ready']);
      await start(2);
      expect((await check()).map(({ state }) => state)).toEqual(Array(3).fill('ready'));
      expect(resume).toBeDefined();
      const third = await converse();
      const { bestEpoch } = await trainOnShares(engine, third, config, shape, data, {
        resume,
        onStep: (step, loss) => {
          losses[step] = loss;
        },
      });
      await third.calls.call({ kind: 'end' });
      expect(bestEpoch).toBeGreaterThan(0);
      const found = losses.filter((one) => one !== undefined);
      expect(found.length).toBe(whole.length);
      for (const [step, loss] of found.entries())
        expect(Math.abs(loss - whole[step]), `step ${step}`).toBeLessThan(1e-3);
      expect(ledger.lines().map(({ what }) => OPENINGS[what].to)).toEqual(ledger.lines().map(() => 'coordinator'));
    },
    LONG_MS,
  );
});
