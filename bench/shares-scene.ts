// What the bench of shares starts from: embeddings split among three entities, which run in threads of this process.
import { Engine } from '../src/core/engine/engine.ts';
import type { EntityLink } from '../src/fuse/on-shares/entity-link.ts';
import { EntityCalls } from '../src/shares/entity-calls.ts';
import { startEntityThreads } from '../src/shares/entity-threads.ts';
import type { EntityReport } from '../src/shares/entity-worker.ts';
import { Field } from '../src/shares/field.ts';
import { Ledger } from '../src/shares/ledger.ts';
import { Scheme } from '../src/shares/scheme.ts';
import { shareEmbeddings } from '../src/shares/share-embeddings.ts';

export interface SharesScene {
  engine: Engine;
  link: EntityLink;
  /** Ends the entities and returns what each of them reports. */
  end(): Promise<EntityReport[]>;
}

/** Splits embeddings [sample, owner, d] and starts an entity per share. */
export function startShares(embeddings: Float32Array, owners: number, width: number): SharesScene {
  const scheme = new Scheme(1, 3);
  const engine = new Engine({ threads: 1 });
  const sources = shareEmbeddings(scheme, embeddings, owners, width);
  const { transport, channel, ended } = startEntityThreads(scheme, sources, { isTimed: true });
  const calls = new EntityCalls(transport, [1, 2, 3], channel);
  const link = { field: new Field(engine), scheme, transport, ledger: new Ledger(), calls };
  const end = async () => {
    await calls.call({ kind: 'end' });
    const reports = await ended();
    await engine.dispose();
    return reports;
  };
  return { engine, link, end };
}
