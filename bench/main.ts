// npm run bench -- <suite>: runs bench/<suite>.bench.ts, prints its table and writes bench/results/<suite>.json.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type Row, table } from './measure.ts';

const folder = new URL('./', import.meta.url);
const suites = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length));
const [suite, ...jobs] = process.argv.slice(2);
if (!suite || !suites.includes(suite)) {
  process.stderr.write(`bench: name a suite: ${suites.join(', ')}${suite ? ` (got ${suite})` : ''}\n`);
  process.stderr.write('usage: npm run bench -- <suite> [job …]\n');
  process.exit(2);
}

const { run } = (await import(`./${suite}.bench.ts`)) as {
  run: (jobs: string[], say: (text: string) => void) => Promise<Row[]>;
};
const rows = await run(jobs, (text) => process.stderr.write(`${text}\n`));
mkdirSync(new URL('results/', folder), { recursive: true });
const path = new URL(`results/${suite}.json`, folder);
writeFileSync(path, `${JSON.stringify(rows, null, 2)}\n`);
process.stdout.write(`${table(rows)}\n`);
process.exit(0);
