// Four attackers in a process of their own, at the lowest priority: they cost the coordinator what it does for them, and not the
// processor that they compute on, which in earnest is that of another machine.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CoordinatorClient } from '../src/exchange/client/coordinator-client.ts';
import { createKeyPair, type KeyPair, loadKeyPair, saveKeyPair } from '../src/exchange/identity/key-pair.ts';
import { FEDERATION, randomBundle, type Scene } from './server-scene.ts';

/** What is attacked with: bundles of two owners, floods of enrolments, graphs of many owners. */
export const ATTACKS = ['bundles', 'enrolments', 'graphs'] as const;
export type Attack = (typeof ATTACKS)[number];

interface AttackOrder {
  attacks: readonly Attack[];
  url: string;
  /** Key files of two owners and of the label holder. */
  keys: string[];
  samples: number;
}

export class Attackers {
  readonly #child: ChildProcess;
  readonly #dir: string;

  private constructor(child: ChildProcess, dir: string) {
    this.#child = child;
    this.#dir = dir;
  }

  /** Resolves when they begin. */
  static async start(
    url: string,
    { owners, asker }: Scene,
    samples: number,
    attacks: readonly Attack[],
  ): Promise<Attackers> {
    const dir = mkdtempSync(join(tmpdir(), 'f3-attackers-'));
    const keys: string[] = [];
    for (const [i, pair] of [owners[0].keys, owners[1].keys, asker].entries()) {
      keys.push(join(dir, `${i}.json`));
      await saveKeyPair(keys[i], pair);
    }
    const child = fork(fileURLToPath(import.meta.url), []);
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.send({ attacks, url, keys, samples } satisfies AttackOrder);
    await once(child, 'message');
    return new Attackers(child, dir);
  }

  /** Says how often they attacked. */
  async stop(): Promise<number> {
    this.#child.send('stop');
    const [count] = (await once(this.#child, 'message')) as [number];
    this.#child.disconnect();
    rmSync(this.#dir, { recursive: true });
    return count;
  }
}

const keyOf = (file: string): Promise<KeyPair> => loadKeyPair(file);

/** What each attacker does again and again. An answer of any kind is what it came for. */
async function attackersOf({ attacks, url, keys: texts, samples }: AttackOrder) {
  const [first, second, asker] = await Promise.all(texts.map(keyOf));
  const patient = { timeout: 60_000, backOff: { attempts: 1 } };
  const clientOf = (keys: KeyPair) => new CoordinatorClient({ url, keys, ...patient });
  let seed = 0;
  const bundles = (keys: KeyPair, owner: number) => () =>
    clientOf(keys).upload(FEDERATION, 'bundle', randomBundle(owner, samples, ++seed));
  const enrolments = async () => {
    const { publicKey } = await createKeyPair();
    const guess = () => ({ code: randomBytes(20).toString('base64url'), publicKey, filler: 'x'.repeat(2 ** 20) });
    const flood = Array.from({ length: 20 }, () =>
      fetch(`${url}/v1/enrol`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(guess()),
      }),
    );
    for (const answer of await Promise.allSettled(flood)) {
      if (answer.status === 'fulfilled') await answer.value.arrayBuffer();
    }
  };
  const graphs = () => {
    const adjacency = Array.from({ length: 20_000 }, (_, i) => ({ from: `nobody-${i}`, to: `nobody-${i + 1}` }));
    return clientOf(asker).train(FEDERATION, { config: { graph: 'given' }, adjacency });
  };
  const all = { bundles: [bundles(first, 0), bundles(second, 1)], enrolments: [enrolments], graphs: [graphs] };
  return attacks.flatMap((attack): (() => Promise<unknown>)[] => all[attack]);
}

/** Says how often it attacked. */
async function repeat(attack: () => Promise<unknown>, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; !signal.aborted; count++) await attack().catch(() => undefined);
  return count;
}

async function runAttackers(order: AttackOrder): Promise<void> {
  const end = new AbortController();
  process.on('message', (message) => {
    if (message === 'stop') end.abort();
  });
  const attackers = await attackersOf(order);
  process.send?.('begun');
  const counts = await Promise.all(attackers.map((attack) => repeat(attack, end.signal)));
  process.send?.(counts.reduce((sum, count) => sum + count, 0));
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', (order) => void runAttackers(order as AttackOrder));
}
