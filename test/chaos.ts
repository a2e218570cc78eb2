// Kills and disturbs the coordinator while members upload, train and predict; then counts everything.
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
  const postgres = kind === 'postgres' ? await startPostgres() : undefined;
  const onKill = (count: number) => void process.stderr.write(`\r${kind}: disturbed ${count} of ${kills} times`);
  try {
    report(kind, await chaos({ kills, seed, postgres, onKill }));
  } finally {
    await postgres?.stop();
  }
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
