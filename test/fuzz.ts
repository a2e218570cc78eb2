// Fuzzes the coordinator's routes and the readers of Arrow for longer than `npm test` does, from a corpus that grows.
//   npm run fuzz -- [--bodies n] [--database embedded|postgres|both] [--minutes n] [--seed n] [--corpus folder] [--schemathesis]
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fuzzArrow } from './support/arrow-fuzz.ts';
import { runSchemathesis } from './support/schemathesis.ts';

const { values } = parseArgs({
  options: {
    /** Requests on each database, and files for the readers of Arrow. */
    bodies: { type: 'string', default: '50000' },
    /** One of them, so that two runs may go on side by side. */
    database: { type: 'string', default: 'both' },
    /** Requests on each database end after so many minutes, however many there were. 0: not before they are all sent. */
    minutes: { type: 'string', default: '0' },
    /** Another one each time, unless a run is to be repeated. */
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    /** Where inputs are kept that got a new answer. */
    corpus: { type: 'string', default: fileURLToPath(new URL('../.fuzz-corpus', import.meta.url)) },
    /** Asks with requests that Schemathesis makes from /openapi.json instead. */
    schemathesis: { type: 'boolean', default: false },
  },
});
for (const option of ['bodies', 'minutes', 'seed'] as const) {
  if (/^\d+$/.test(values[option]) && Number.isSafeInteger(Number(values[option]))) continue;
  process.stderr.write(`fuzz: --${option} must be a whole number from 0, got ${values[option]}\n`);
  process.exit(2);
}
if (!['embedded', 'postgres', 'both'].includes(values.database)) {
  process.stderr.write(`fuzz: --database must be embedded, postgres or both, got ${values.database}\n`);
  process.exit(2);
}
if (values.schemathesis) process.exit(await runSchemathesis(Number(values.seed)));

process.stdout.write(
  `repeat with: npm run fuzz -- --bodies ${values.bodies} --database ${values.database} --seed ${values.seed}\n`,
);
const began = performance.now();
const files = fuzzArrow({ runs: Number(values.bodies), seed: Number(values.seed), folder: values.corpus });
const refused = Object.entries(files.refused).map(([code, count]) => `${count} ${code}`);
process.stdout.write(`Arrow: ${files.runs} files, ${files.accepted} read, refused ${refused.join(', ')}; `);
process.stdout.write(`${files.corpus} in the corpus, ${files.faults.length} faults; `);
process.stdout.write(`${Math.round((performance.now() - began) / 1000)} s\n`);
for (const fault of files.faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, 'run', 'src/server/fuzz.test.ts'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: {
    ...process.env,
    F3_FUZZ_RUNS: values.bodies,
    F3_FUZZ_DATABASE: values.database,
    F3_FUZZ_MINUTES: values.minutes,
    F3_FUZZ_SEED: values.seed,
    F3_FUZZ_CORPUS: values.corpus,
  },
  stdio: 'inherit',
});
process.exitCode = status === 0 && files.faults.length === 0 ? 0 : 1;
