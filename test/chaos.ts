// Kills the coordinator (kill -9) at random moments while members upload, train and predict; then counts everything.
//   npm run chaos -- [--kills n] [--database embedded|postgres|both] [--seed n]
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type ChaosReport, chaos } from './support/chaos.ts';
import { startPostgres } from './support/postgres-server.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    database: { type: 'string', default: 'both' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
process.stdout.write(`seed ${seed}\n`);
for (const kind of values.database === 'both' ? ['embedded', 'postgres'] : [values.database]) {
  const server = kind === 'postgres' ? await startPostgres() : undefined;
  const onKill = (count: number) => void process.stderr.write(`\r${kind}: killed ${count} of ${kills} times`);
  try {
    report(kind, await chaos({ kills, seed, database: await server?.createDatabase(), onKill }));
  } finally {
    await server?.stop();
  }
}

function report(kind: string, { kills: under, uploads, predictions, trainings, faults }: ChaosReport): void {
  const when = `under way: ${under.upload} uploads, ${under.training} trainings, ${under.prediction} predictions, ${under.start} starts`;
  const acknowledged = `${uploads} uploads, ${trainings} trainings and ${predictions} predictions acknowledged`;
  process.stderr.write('\n');
  process.stdout.write(`${kind}: ${under.all} kills (${when}); ${acknowledged}; ${faults.length} faults\n`);
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
