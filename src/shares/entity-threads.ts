// [coordinator] Entities as threads of this process, each with memory of its own: for demonstrations, tests and benches. They keep secrets from
// each other only as far as one process can.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { extname } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { startWorker } from '../base/start-worker.ts';
import type { EmbeddingShares } from './embedding-shares.ts';
import type { EntityReport, EntityStart } from './entity-worker.ts';
import { setName } from './mask-source.ts';
import { PortTransport } from './port-transport.ts';
import type { Scheme } from './scheme.ts';
import { COORDINATOR, type Transport } from './transport.ts';

/** Entities that run in threads. */
export interface EntityThreads {
  /** The coordinator's transport. */
  transport: Transport;
  channel: string;
  /** What each entity reported, after the coordinator's command to end. */
  ended(): Promise<EntityReport[]>;
}

/** `embeddings`: the shares of each entity, entity 1 first; their memory moves to the threads. */
export function startEntityThreads(
  scheme: Scheme,
  embeddings: readonly EmbeddingShares[],
  { isTimed = false } = {},
): EntityThreads {
  const ports = connectParties(scheme.entities + 1);
  const keys = scheme.sets.map((members) => ({
    members,
    name: setName(members),
    key: new Uint8Array(randomBytes(32)),
  }));
  const channel = randomBytes(8).toString('hex');
  const reports = embeddings.map(async (source, index) => {
    const entity = index + 1;
    const own = [...(ports.get(entity) ?? [])];
    const shares = source.widths.map((_, owner) => new Uint8Array(source.of(owner)));
    const workerData: EntityStart = {
      entity,
      threshold: scheme.threshold,
      entities: scheme.entities,
      keys: keys.filter(({ members }) => members.includes(entity)).map(({ name, key }) => [name, key]),
      ports: own,
      widths: [...source.widths],
      samples: source.samples,
      shares,
      channel,
      isTimed,
    };
    const file = new URL(`./entity-worker${extname(import.meta.url)}`, import.meta.url);
    const transferList = [...own.map(([, port]) => port), ...shares.map(({ buffer }) => buffer)];
    const worker = startWorker(file, { workerData, transferList, name: `f3-entity-${entity}` });
    const [report] = (await once(worker, 'message')) as [EntityReport];
    return report;
  });
  const transport = new PortTransport(COORDINATOR, new Map(ports.get(COORDINATOR)));
  const ended = async () => {
    const all = await Promise.all(reports);
    transport.close();
    return all;
  };
  return { transport, channel, ended };
}

/** A port from every party to every other. */
function connectParties(count: number): Map<number, [number, MessagePort][]> {
  const ports = new Map<number, [number, MessagePort][]>(Array.from({ length: count }, (_, party) => [party, []]));
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      const { port1, port2 } = new MessageChannel();
      ports.get(a)?.push([b, port1]);
      ports.get(b)?.push([a, port2]);
    }
  }
  return ports;
}
