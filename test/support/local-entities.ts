// Entities in one thread for tests: keys for every set, one party each, over a network that can be watched.
import { createHash } from 'node:crypto';
import { Engine } from '../../src/core/engine/engine.ts';
import { Field } from '../../src/shares/field.ts';
import { Ledger } from '../../src/shares/ledger.ts';
import { LocalNetwork, type SentMessage } from '../../src/shares/local-network.ts';
import { type SetKeys, setName } from '../../src/shares/mask-source.ts';
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
