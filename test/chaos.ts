// Kills and disturbs the coordinator while members upload, train and predict; then counts everything.
//   npm run chaos -- [--kills n] [--database embedded|postgres|both] [--scenes n] [--minutes n] [--entities n] [--seed n]
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ChaosReport } from './support/chaos.ts';
import { chaosOfEntities } from './support/chaos-entities.ts';
import { chaosInScenes } from './support/chaos-scenes.ts';
import { makeMemoryFolder } from './support/memory-folder.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    database: { type: 'string', default: 'both' },
    /** Scenes of each database at a time, among which its disturbances are divided. */
    scenes: { type: 'string', default: '1' },
    /** Ends after so many minutes, and counts, even if there were fewer disturbances. */
    minutes: { type: 'string', default: 'Infinity' },
    /** Kills of entities that hold shares, in a federation of their own, instead of all the others. */
    entities: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
// A start is mostly the loading of code, and most of the rest waits for the disk: both as in `npm test`.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/f3/compiled', import.meta.url));
const memory = process.env.TMPDIR === undefined ? makeMemoryFolder() : undefined;
if (memory !== undefined) process.env.TMPDIR = memory;
const [kills, seed] = [Number(values.kills), Number(values.seed)];
process.stdout.write(`seed ${seed}\n`);
if (values.entities !== undefined) await disturbEntities(Number(values.entities));
else await disturbCoordinators();

/** Both databases side by side. */
async function disturbCoordinators(): Promise<void> {
  const began = performance.now();
  const kinds = (['embedded', 'postgres'] as const).filter((kind) => ['both', kind].includes(values.database));
  const done = Object.fromEntries(kinds.map((kind) => [kind, 0]));
  const onKill = (kind: string) => {
    done[kind]++;
    const counts = kinds.map((each) => `${each} ${done[each]}`).join(', ');
    process.stderr.write(`\rdisturbed of ${kills} times: ${counts} (${minutesSince(began)} minutes)`);
  };
  const scenes = Number(values.scenes);
  const until = began + 60_000 * Number(values.minutes);
  const ended = kinds.map(async (kind) => {
    const counts = await chaosInScenes({ kind, kills, seed, scenes, until, onKill: () => onKill(kind) });
    report(kind, counts, minutesSince(began));
  });
  await Promise.all(ended);
}

function minutesSince(began: number): string {
  return ((performance.now() - began) / 60_000).toFixed(1);
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

function report(kind: string, { disturbances, aims, faults, slowest, hangs, ...counts }: ChaosReport, minutes: string) {
  const listed = Object.entries(disturbances).filter(([, count]) => count > 0);
  const done = listed.map(([name, count]) => `${count} ${name}`).join(', ');
  const when = `under way: ${aims.upload} uploads, ${aims.training} trainings, ${aims.prediction} predictions, ${aims.start} starts`;
  const { uploads, deletions, trainings, predictions, replays } = counts;
  process.stderr.write('\n');
  process.stdout.write(`${kind}: ${done} (${when}) in ${minutes} minutes\n`);
  process.stdout.write(
    `  ${uploads} uploads, ${deletions} deletions, ${trainings} trainings and ${predictions} predictions acknowledged, ${replays} requests replayed; ` +
      `slowest health check ${slowest} ms, ${hangs.length} over 1 s; ${faults.length} faults\n`,
  );
  for (const hang of hangs) process.stdout.write(`  /healthz took ${hang}\n`);
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
