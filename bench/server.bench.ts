// A coordinator under load: owners push at once, and predictions come one by one, beside a Fastify that echoes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/support/postgres-server.ts';
import type { Row } from './measure.ts';
import { FORMS, type Form } from './prediction-bodies.ts';
import { ATTACKS } from './server-attackers.ts';
import { hostileLoad } from './server-hostile.ts';
import { liveAtOnce } from './server-live.ts';
import { comparePredictions, splitTime } from './server-predictions.ts';
import { pushAtOnce } from './server-pushes.ts';
import { prepareScene, type ServerSite } from './server-scene.ts';
import { longestTurns, type TurnSizes } from './server-turns.ts';

type Say = (text: string) => void;

export interface ServerBenchSizes {
  /** Owners who push at once: as many as PeMS-Bay has. */
  pushers: number;
  /** Samples of each bundle: as many as METR-LA has. */
  samples: number;
  /** Owners of the model that predicts: as many as METR-LA has. */
  owners: number;
  /** Requests of a turn. Tokens are signed before it and live for a minute. */
  requests: Record<Form, number>;
  rounds: number;
  /** Honest requests beside attackers. */
  honest: number;
  connections: number;
  /** Large requests, each by itself. */
  turns: TurnSizes;
}

const FULL: ServerBenchSizes = {
  pushers: 325,
  samples: 2856,
  owners: 207,
  rounds: 5,
  honest: 500,
  connections: 16,
  turns: { rounds: 3, share: 1 },
  requests: { binary: 4000, mean: 4000, json: 2000, arrow: 2000 },
};

/** `words` choose databases (embedded, postgres), jobs (push, live, predict, split; hostile and turns where they are named), forms (binary, json, arrow) and attacks (bundles, enrolments, graphs). */
export async function run(words: string[], say: Say, sizes = FULL): Promise<Row[]> {
  const chosen = <T extends string>(all: readonly T[]): readonly T[] => {
    const named = all.filter((name) => words.includes(name));
    return named.length > 0 ? named : all;
  };
  const isHostile = words.includes('hostile');
  const isTurns = words.includes('turns');
  const jobs = isHostile || isTurns ? [] : chosen(['push', 'live', 'predict', 'split']);
  const rows: Row[] = [];
  for (const kind of chosen(['embedded', 'postgres'])) {
    const postgres = kind === 'postgres' ? await startPostgres() : undefined;
    const dir = mkdtempSync(join(tmpdir(), 'f3-server-'));
    try {
      const database = await postgres?.createDatabase();
      const site: ServerSite = { kind, dir, ...(database && { database }) };
      const scene = await prepareScene(site, sizes.pushers, sizes.owners);
      if (jobs.includes('push')) {
        say(`${kind}: ${sizes.pushers} owners push at once`);
        rows.push(await pushAtOnce(site, scene, sizes));
      }
      if (jobs.includes('live')) {
        say(`${kind}: ${sizes.owners} owners predict live`);
        rows.push(await liveAtOnce(site, scene, sizes));
      }
      if (isHostile) {
        const attacks = chosen(ATTACKS);
        say(`${kind}: honest predictions while others attack with ${attacks.join(', ')}`);
        rows.push(await hostileLoad(site, scene, sizes, attacks));
      }
      if (isTurns) {
        say(`${kind}: large requests, one after the other`);
        rows.push(...(await longestTurns(site, scene, sizes.owners, sizes.turns)));
      }
      for (const form of chosen(FORMS)) {
        if (jobs.includes('predict')) rows.push(await comparePredictions(site, scene, form, sizes, say));
        if (jobs.includes('split')) rows.push(await splitTime(site, scene, form, sizes));
      }
    } finally {
      await postgres?.stop();
      rmSync(dir, { recursive: true });
    }
  }
  return rows;
}
