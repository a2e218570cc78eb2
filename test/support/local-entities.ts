// Entities in one thread for tests: keys for every set, one party each, over a network that can be watched.
import { createHash } from 'node:crypto';
import { Engine } from '../../src/core/engine/engine.ts';
import type { EntityLink } from '../../src/fuse/on-shares/entity-link.ts';
import type { EmbeddingShares } from '../../src/shares/embedding-shares.ts';
import { EntityCalls } from '../../src/shares/entity-calls.ts';
import { EntityProgram, type WeightStore } from '../../src/shares/entity-program.ts';
import { Field } from '../../src/shares/field.ts';
import { Ledger } from '../../src/shares/ledger.ts';
import { LocalNetwork, type SentMessage } from '../../src/shares/local-network.ts';
import { type SetKeys, setName } from '../../src/shares/mask-source.ts';
import { MemoryStore } from '../../src/shares/memory-store.ts';
import { Party } from '../../src/shares/party.ts';
import type { Scheme } from '../../src/shares/scheme.ts';

/** Keys that depend on `seed` alone, so that a test can be repeated. */
export function testKeys(scheme: Scheme, entity: number, seed = 0): SetKeys {
  const names = scheme.setsOf(entity).map((index) => setName(scheme.sets[index]));
  return new Map(names.map((name) => [name, createHash('sha256').update(`${seed} ${name}`).digest()]));
}

export interface LocalEntities {
  network: LocalNetwork;
  parties: Party[];
  ledgers: Ledger[];
  dispose(): Promise<void>;
}

export interface LocalEntityOptions {
  session?: string;
  seed?: number;
  active?: number[];
  watch?: (message: SentMessage) => void;
}

export function localEntities(scheme: Scheme, options: LocalEntityOptions = {}): LocalEntities {
  const { session = 'test', seed = 0, watch } = options;
  const active = options.active ?? Array.from({ length: scheme.entities }, (_, i) => i + 1);
  const network = new LocalNetwork(scheme.entities, watch);
  const engine = new Engine({ threads: 1 });
  const ledgers = active.map(() => new Ledger());
  const parties = active.map(
    (entity, i) =>
      new Party({
        field: new Field(engine),
        scheme,
        transport: network.transport(entity),
        keys: testKeys(scheme, entity, seed),
        ledger: ledgers[i],
        session,
        active,
      }),
  );
  return { network, parties, ledgers, dispose: () => engine.dispose() };
}

export interface RunningEntities {
  link: EntityLink;
  network: LocalNetwork;
  ledgers: Ledger[];
  /** Resolves when every entity has obeyed its last command. */
  end(): Promise<void>;
}

/** Entities that obey the coordinator, all in this thread. */
export function runEntities(
  scheme: Scheme,
  embeddings: readonly EmbeddingShares[],
  stores: readonly WeightStore[] = embeddings.map(() => new MemoryStore()),
  { seed = 0, active, watch }: LocalEntityOptions = {},
): RunningEntities {
  const entities = active ?? Array.from({ length: scheme.entities }, (_, i) => i + 1);
  const network = new LocalNetwork(scheme.entities, watch);
  const engine = new Engine({ threads: 1 });
  const channel = 'test';
  const ledgers = entities.map(() => new Ledger());
  const running = entities.map((entity, i) =>
    new EntityProgram({
      field: new Field(engine),
      scheme,
      transport: network.transport(entity),
      keys: testKeys(scheme, entity, seed),
      ledger: ledgers[i],
      embeddings: embeddings[entity - 1],
      store: stores[entity - 1],
      channel,
    }).run(),
  );
  const transport = network.transport(0);
  const link = {
    field: new Field(engine),
    scheme,
    transport,
    ledger: new Ledger(),
    calls: new EntityCalls(transport, entities, channel),
  };
  const end = async () => {
    await link.calls.call({ kind: 'end' });
    await Promise.all(running);
    await engine.dispose();
  };
  return { link, network, ledgers, end };
}
