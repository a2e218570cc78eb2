// `npm run bench -- <suite>`: prints a table (or --json) and writes it to bench/results/<suite>.json.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type Row, table } from './measure.ts';

const folder = new URL('./', import.meta.url);
const suites = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length));
const asJson = process.argv.includes('--json');
const [suite, ...jobs] = process.argv.slice(2).filter((word) => word !== '--json');
if (!suite || !suites.includes(suite)) {
  process.stderr.write(`bench: suite must be one of ${suites.join(', ')}, got ${suite ?? 'none'}\n`);
  process.stderr.write('usage: npm run bench -- <suite> [job …] [--json]\n');
  process.exit(2);
}

const { run } = (await import(`./${suite}.bench.ts`)) as {
  run: (jobs: string[], say: (text: string) => void) => Promise<Row[]>;
};
const rows = await run(jobs, (text) => process.stderr.write(`${text}\n`));
mkdirSync(new URL('results/', folder), { recursive: true });
const path = new URL(`results/${suite}.json`, folder);
const json = JSON.stringify(rows, null, 2);
writeFileSync(path, `${json}\n`);
process.stdout.write(`${asJson ? json : table(rows)}\n`);
process.exit(0);
