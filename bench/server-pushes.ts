// Owners push their bundles at the same moment; afterwards the bundles in the database are counted.
import { bundleHash } from '../src/exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../src/exchange/client/coordinator-client.ts';
import type { KeyPair } from '../src/exchange/identity/key-pair.ts';
import { readBlob } from '../src/storage/blobs.ts';
import { latestBundles } from '../src/storage/bundles.ts';
import { openDatabase } from '../src/storage/database/open-database.ts';
import { quantile } from './http-load.ts';
import type { Row } from './measure.ts';
import type { ServerBenchSizes } from './server.bench.ts';
import { FEDERATION, locationOfSite, randomBundle, type Scene, type ServerSite, startSite } from './server-scene.ts';

/** All push at once, so the last one waits for all others. */
const PATIENCE_MS = 10 * 60_000;

export async function pushAtOnce(site: ServerSite, { owners }: Scene, { samples }: ServerBenchSizes): Promise<Row> {
  const bundles = owners.map((_, i) => randomBundle(i, samples));
  const server = await startSite(site);
  const latencies: number[] = [];
  const start = performance.now();
  const push = async (keys: KeyPair, bytes: Uint8Array) => {
    const client = new CoordinatorClient({ url: server.url, keys, timeout: PATIENCE_MS });
    const stored = await client.upload(FEDERATION, 'bundle', bytes);
    latencies.push(performance.now() - start);
    return stored;
  };
  const stored = await Promise.all(owners.map(({ keys }, i) => push(keys, bundles[i]))).finally(() => server.stop());
  const ms = Math.max(...latencies);
  const lost = await countLost(site, bundles);
  const wrong = stored.filter(({ version, sha256 }, i) => version !== 1 || sha256 !== bundleHash(bundles[i])).length;
  if (lost + wrong > 0)
    throw new Error(`push: every bundle must be there once and whole, got ${lost + wrong} that are not`);
  const bytes = bundles.reduce((sum, { length }) => sum + length, 0);
  return {
    job: `${site.kind}: ${owners.length} owners push ${Math.round(bytes / bundles.length / 1000)} kB each at once`,
    oursMs: ms,
    peers: {},
    figures: {
      'bundles/s': owners.length / (ms / 1000),
      'MB/s': bytes / 1e6 / (ms / 1000),
      'p50 ms': quantile(latencies, 0.5),
      'p99 ms': quantile(latencies, 0.99),
      accounted: owners.length - lost,
    },
  };
}

/** Number of bundles that the database does not return as they were sent. */
async function countLost(site: ServerSite, bundles: readonly Uint8Array[]): Promise<number> {
  const store = await openDatabase(locationOfSite(site));
  try {
    const hashes = new Set<string>();
    for (const { version, blob } of await latestBundles(store.db, FEDERATION)) {
      if (version === 1) hashes.add(bundleHash(await readBlob(store.db, blob)));
    }
    return bundles.filter((bytes) => !hashes.has(bundleHash(bytes))).length;
  } finally {
    await store.close();
  }
}
