// Honest predictions at a steady rate, first alone, then while four attackers send bundles to check, floods of enrolments and
// graphs of many owners: how much longer do the honest wait?
import { signRequest } from '../src/exchange/identity/request-token.ts';
import { type Load, quantile, requestBytes, sendSteadily } from './http-load.ts';
import type { Row } from './measure.ts';
import { predictionBody } from './prediction-bodies.ts';
import type { ServerBenchSizes } from './server.bench.ts';
import { Attackers } from './server-attackers.ts';
import { FEDERATION, type Scene, type ServerSite, startSite } from './server-scene.ts';

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
    const attackers = await Attackers.start(server.url, scene, sizes.samples);
    const busy = await honest();
    return rowOf(site, quiet, busy, await attackers.stop());
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
