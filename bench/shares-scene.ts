// What the bench of shares starts from: embeddings split among three entities, which run in threads of this process.
import { Engine } from '../src/core/engine/engine.ts';
import type { EntityLink } from '../src/fuse/on-shares/entity-link.ts';
import { EntityCalls } from '../src/shares/entity-calls.ts';
import { startEntityThreads } from '../src/shares/entity-threads.ts';
import type { EntityReport } from '../src/shares/entity-worker.ts';
import { Field } from '../src/shares/field.ts';
import { toFixedPoint } from '../src/shares/fixed-point.ts';
import { Ledger } from '../src/shares/ledger.ts';
import { Scheme } from '../src/shares/scheme.ts';
import { splitNumbers } from '../src/shares/split-numbers.ts';

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
  const field = new Field(engine);
  const samples = embeddings.length / (owners * width);
  const shares = Array.from({ length: owners }, (_, owner) => {
    const own = new Float32Array(samples * width);
    for (let s = 0; s < samples; s++) {
      own.set(embeddings.subarray((s * owners + owner) * width, (s * owners + owner + 1) * width), s * width);
    }
    const split = splitNumbers(field, scheme, toFixedPoint(own, `owner ${owner}`));
    field.reset();
    return split;
  });
  const widths = new Array<number>(owners).fill(width);
  const sources = [0, 1, 2].map((entity) => ({ widths, samples, of: (owner: number) => shares[owner][entity] }));
  const { transport, channel, ended } = startEntityThreads(scheme, sources, { isTimed: true });
  const calls = new EntityCalls(transport, [1, 2, 3], channel);
  const link = { field, scheme, transport, ledger: new Ledger(), calls };
  const end = async () => {
    await calls.call({ kind: 'end' });
    const reports = await ended();
    await engine.dispose();
    return reports;
  };
  return { engine, link, end };
}
