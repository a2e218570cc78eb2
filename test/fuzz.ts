// Fuzzes the coordinator's routes for longer than `npm test` does.
//   npm run fuzz -- [--bodies n] [--seed n]
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    /** Requests on each database. */
    bodies: { type: 'string', default: '50000' },
    /** Another one each time, unless a run is to be repeated. */
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
for (const [option, value] of Object.entries(values)) {
  if (/^\d+$/.test(value) && Number.isSafeInteger(Number(value))) continue;
  process.stderr.write(`fuzz: --${option} must be a whole number from 0, got ${value}\n`);
  process.exit(2);
}
process.stdout.write(`repeat with: npm run fuzz -- --bodies ${values.bodies} --seed ${values.seed}\n`);
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, 'run', 'src/server/fuzz.test.ts'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, F3_FUZZ_RUNS: values.bodies, F3_FUZZ_SEED: values.seed },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
