// Kills and disturbs the coordinator while members upload, train and predict; then counts everything.
//   npm run chaos -- [--kills n] [--database embedded|postgres|both] [--entities n] [--seed n]
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type ChaosReport, chaos } from './support/chaos.ts';
import { chaosOfEntities } from './support/chaos-entities.ts';
import { startPostgres } from './support/postgres-server.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    database: { type: 'string', default: 'both' },
    /** Kills of entities that hold shares, in a federation of their own, instead of all the others. */
    entities: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
process.stdout.write(`seed ${seed}\n`);
if (values.entities !== undefined) await disturbEntities(Number(values.entities));
else await disturbCoordinators();

async function disturbCoordinators(): Promise<void> {
  for (const kind of values.database === 'both' ? ['embedded', 'postgres'] : [values.database]) {
    const postgres = kind === 'postgres' ? await startPostgres() : undefined;
    const onKill = (count: number) => void process.stderr.write(`\r${kind}: disturbed ${count} of ${kills} times`);
    try {
      report(kind, await chaos({ kills, seed, postgres, onKill }));
    } finally {
      await postgres?.stop();
    }
  }
}

async function disturbEntities(count: number): Promise<void> {
  const { during, faults, ...counts } = await chaosOfEntities({ kills: count, seed });
  const { trainings, pushes, predictions } = counts;
  process.stdout.write(
    `shares: ${counts.kills} entities killed (under way: ${during.training} trainings, ${during.push} pushes); ` +
      `${trainings} trainings, ${pushes} pushes and ${predictions} predictions; ${faults.length} faults\n`,
  );
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

function report(kind: string, { disturbances, aims, faults, slowest, hangs, replays, ...counts }: ChaosReport): void {
  const listed = Object.entries(disturbances).filter(([, count]) => count > 0);
  const done = listed.map(([name, count]) => `${count} ${name}`).join(', ');
  const when = `under way: ${aims.upload} uploads, ${aims.training} trainings, ${aims.prediction} predictions, ${aims.start} starts`;
  const { uploads, trainings, predictions } = counts;
  process.stderr.write('\n');
  process.stdout.write(`${kind}: ${done} (${when})\n`);
  process.stdout.write(
    `  ${uploads} uploads, ${trainings} trainings and ${predictions} predictions acknowledged, ${replays} requests replayed; ` +
      `slowest health check ${slowest} ms, ${hangs} over 1 s; ${faults.length} faults\n`,
  );
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
