// [entity] A thread that is one entity: it computes on the shares it was started with until the coordinator ends it.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Engine } from '../core/engine/engine.ts';
import { EntityProgram } from './entity-program.ts';
import { Field } from './field.ts';
import { Ledger } from './ledger.ts';
import { MemoryStore } from './memory-store.ts';
import type { OpeningTime } from './party.ts';
import { PortTransport } from './port-transport.ts';
import { Scheme } from './scheme.ts';

/** What an entity's thread starts with. */
export interface EntityStart {
  entity: number;
  threshold: number;
  entities: number;
  keys: [set: string, key: Uint8Array][];
  ports: [party: number, port: MessagePort][];
  widths: number[];
  samples: number;
  /** By owner: [sample, width] numbers. */
  shares: Uint8Array[];
  channel: string;
  /** Whether the thread reports what it spends its time on. */
  isTimed: boolean;
}

/** What a thread reports when it ends. */
export interface EntityReport {
  times: OpeningTime[];
  /** Bytes sent, by party. */
  sent: [party: number, bytes: number][];
  cpuMs: number;
}

const { entity, threshold, entities, keys, ports, widths, samples, shares, channel, isTimed } =
  workerData as EntityStart;
const engine = new Engine({ threads: 1 });
const transport = new PortTransport(entity, new Map(ports));
const times: OpeningTime[] = [];
const program = new EntityProgram({
  field: new Field(engine),
  scheme: new Scheme(threshold, entities),
  transport,
  keys: new Map(keys),
  ledger: new Ledger(),
  embeddings: { widths, samples, of: (owner) => shares[owner] },
  store: new MemoryStore(),
  channel,
  ...(isTimed && { onOpening: (time: OpeningTime) => times.push(time) }),
});
await program.run();
// Node 22 counts the whole process only.
const { user, system } =
  'threadCpuUsage' in process ? process.threadCpuUsage() : (process as NodeJS.Process).cpuUsage();
const report: EntityReport = { times, sent: [...transport.sent], cpuMs: (user + system) / 1000 };
parentPort?.postMessage(report);
transport.close();
