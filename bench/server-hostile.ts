// Honest predictions at a steady rate, first alone, then while four attackers send bundles to check, floods of enrolments and
// graphs of many owners: how much longer do the honest wait?
import { randomBytes } from 'node:crypto';
import { CoordinatorClient } from '../src/exchange/client/coordinator-client.ts';
import { createKeyPair, type KeyPair } from '../src/exchange/identity/key-pair.ts';
import { signRequest } from '../src/exchange/identity/request-token.ts';
import { type Load, quantile, requestBytes, sendSteadily } from './http-load.ts';
import type { Row } from './measure.ts';
import { predictionBody } from './prediction-bodies.ts';
import type { ServerBenchSizes } from './server.bench.ts';
import { FEDERATION, randomBundle, type Scene, type ServerSite, startSite } from './server-scene.ts';

/** Honest requests per second: far below what the coordinator can do, so that quiet latencies are those of an idle one. */
const PER_SECOND = 50;
const AIM = 5;

export async function hostileLoad(site: ServerSite, scene: Scene, sizes: ServerBenchSizes): Promise<Row> {
  const server = await startSite(site);
  const honest = async () => {
    const requests = await Promise.all(Array.from({ length: sizes.honest }, () => predictionOf(scene, sizes)));
    return sendSteadily(server.url, requests, sizes.connections, PER_SECOND);
  };
  try {
    await honest(); // loads the model
    const quiet = await honest();
    const end = new AbortController();
    const attacks = attackersOf(server.url, scene, sizes).map((attack) => repeat(attack, end.signal));
    const busy = await honest();
    end.abort();
    const counts = await Promise.all(attacks);
    return rowOf(
      site,
      quiet,
      busy,
      counts.reduce((sum, count) => sum + count, 0),
    );
  } finally {
    await server.stop();
  }
}

function rowOf({ kind }: ServerSite, quiet: Load, busy: Load, attacks: number): Row {
  const failures = [...quiet.failures, ...busy.failures];
  if (failures.length > 0) throw new Error(`${failures.length} honest requests failed: ${failures[0]}`);
  const [calm, hostile] = [quiet, busy].map(({ latencies }) => quantile(latencies, 0.99));
  return {
    job: `${kind}: honest predictions while four attack`,
    oursMs: hostile,
    peers: {},
    figures: {
      'quiet p99 ms': calm,
      'hostile p99 ms': hostile,
      'quiet p50 ms': quantile(quiet.latencies, 0.5),
      'hostile p50 ms': quantile(busy.latencies, 0.5),
      ratio: hostile / calm,
      attacks,
    },
    aim: `ratio at most ${AIM}`,
  };
}

async function predictionOf({ asker }: Scene, { owners }: ServerBenchSizes): Promise<Buffer> {
  const path = `/v2/models/${FEDERATION}/infer`;
  const { body, headers } = predictionBody('mean', owners);
  const token = await signRequest(asker, { method: 'POST', path, body });
  return requestBytes(path, { ...headers, authorization: `Bearer ${token}` }, body);
}

/** What each attacker does again and again. An answer of any kind is what it came for. */
function attackersOf(url: string, { owners: [first, second], asker }: Scene, { samples }: ServerBenchSizes) {
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
  return [bundles(first.keys, 0), bundles(second.keys, 1), enrolments, graphs];
}

/** Says how often it attacked. */
async function repeat(attack: () => Promise<unknown>, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; !signal.aborted; count++) await attack().catch(() => undefined);
  return count;
}
