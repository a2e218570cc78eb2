// Honest predictions at a steady rate, in turns alone and while four attackers send bundles to check, floods of enrolments and graphs of
// many owners: how much longer do the honest wait?
import { signRequest } from '../src/exchange/identity/request-token.ts';
import { type Load, quantile, requestBytes, sendSteadily } from './http-load.ts';
import { median, type Row } from './measure.ts';
import { predictionBody } from './prediction-bodies.ts';
import type { ServerBenchSizes } from './server.bench.ts';
import { type Attack, Attackers } from './server-attackers.ts';
import { FEDERATION, type Scene, type ServerSite, startSite } from './server-scene.ts';

/** Honest requests per second: far below what the coordinator can do, so that quiet latencies are those of an idle one. */
const PER_SECOND = 50;
const AIM = 5;

/**
 * Quiet and hostile parts take turns, so that what else the machine does meets both. A 99th percentile of one part is the fifth of
 * 500 latencies and differs by half from part to part; that of all parts together does not.
 */
export async function hostileLoad(
  site: ServerSite,
  scene: Scene,
  sizes: ServerBenchSizes,
  attacks: readonly Attack[],
): Promise<Row> {
  const server = await startSite(site);
  const honest = async () => {
    const requests = await Promise.all(Array.from({ length: sizes.honest }, () => predictionOf(scene, sizes)));
    return sendSteadily(server.url, requests, sizes.connections, PER_SECOND);
  };
  try {
    await honest(); // loads the model
    const rounds: Round[] = [];
    for (let round = 0; round < sizes.rounds; round++) {
      const quiet = await honest();
      const attackers = await Attackers.start(server.url, scene, sizes.samples, attacks);
      const busy = await honest();
      rounds.push({ quiet, busy, attacks: await attackers.stop() });
    }
    return rowOf(site, attacks, rounds);
  } finally {
    await server.stop();
  }
}

interface Round {
  quiet: Load;
  busy: Load;
  /** How often there was an attack. */
  attacks: number;
}

function rowOf({ kind }: ServerSite, attacks: readonly Attack[], rounds: readonly Round[]): Row {
  const failures = rounds.flatMap(({ quiet, busy }) => [...quiet.failures, ...busy.failures]);
  if (failures.length > 0) throw new Error(`${failures.length} honest requests failed: ${failures[0]}`);
  const [quiet, busy] = (['quiet', 'busy'] as const).map((part) => rounds.flatMap((round) => round[part].latencies));
  const [calm, hostile] = [quiet, busy].map((latencies) => quantile(latencies, 0.99));
  const ratios = rounds.map((round) => quantile(round.busy.latencies, 0.99) / quantile(round.quiet.latencies, 0.99));
  return {
    job: `${kind}: honest predictions while others attack with ${attacks.join(', ')}`,
    oursMs: hostile,
    peers: {},
    figures: {
      'quiet p99 ms': calm,
      'hostile p99 ms': hostile,
      'quiet p50 ms': quantile(quiet, 0.5),
      'hostile p50 ms': quantile(busy, 0.5),
      ratio: hostile / calm,
      'least ratio of a round': Math.min(...ratios),
      'median ratio of a round': median(ratios),
      'largest ratio of a round': Math.max(...ratios),
      requests: busy.length,
      attacks: rounds.reduce((sum, round) => sum + round.attacks, 0),
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
