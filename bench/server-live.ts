// Live predictions: all owners of a model post their embedding of a sample at once, and each waits for the answer.
import { signRequest } from '../src/exchange/identity/request-token.ts';
import { type Load, quantile, requestBytes, sendAll } from './http-load.ts';
import { median, type Row } from './measure.ts';
import type { ServerBenchSizes } from './server.bench.ts';
import { FEDERATION, randomSample, type Scene, type ServerSite, startSite, WIDTH } from './server-scene.ts';

/** The longest wait that the coordinator grants. Owners who come later are missing in the answer. */
const DEADLINE_MS = 50_000;

export async function liveAtOnce(
  site: ServerSite,
  { owners: members }: Scene,
  { owners, rounds }: ServerBenchSizes,
): Promise<Row> {
  const server = await startSite(site);
  const loads: Load[] = [];
  try {
    // The first round loads the model.
    for (let round = 0; round <= rounds; round++) {
      const values = randomSample(owners, round);
      const path = `/v1/federations/${FEDERATION}/live/sample-${round}`;
      const requests = await Promise.all(
        members.slice(0, owners).map(async ({ keys }, i) => {
          const embedding = Array.from(values.subarray(i * WIDTH, (i + 1) * WIDTH));
          const body = Buffer.from(JSON.stringify({ embedding, deadlineMs: DEADLINE_MS }));
          const token = await signRequest(keys, { method: 'POST', path, body });
          const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
          return requestBytes(path, headers, body);
        }),
      );
      const load = await sendAll(server.url, requests, owners);
      if (load.failures.length > 0) throw new Error(`${load.failures.length} requests failed: ${load.failures[0]}`);
      if (round > 0) loads.push(load);
    }
  } finally {
    await server.stop();
  }
  const oursMs = median(loads.map(({ ms }) => ms));
  return {
    job: `${site.kind}: ${owners} owners post one sample at once, all answered`,
    oursMs,
    peers: {},
    figures: {
      'samples/s': 1000 / oursMs,
      'p50 ms': median(loads.map(({ latencies }) => quantile(latencies, 0.5))),
      'p99 ms': median(loads.map(({ latencies }) => quantile(latencies, 0.99))),
    },
  };
}
