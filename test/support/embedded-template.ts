// An empty embedded database to copy, because making one takes seconds and copying it takes a moment.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/storage/database/open-database.ts';

const SOURCE = new URL('../../src/', import.meta.url);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/f3/', import.meta.url));
/**
 * The folders of template1 and template0, with two thirds of all files. New databases are copied from them, and nobody makes
 * one here. They are emptied because making and deleting files is most of what a copy costs.
 */
const UNUSED = ['1', '4'];

/** Puts an empty database of the current schema into a folder that has none; the tables of the queue are there too. */
export async function copyEmbeddedTemplate(dir: string): Promise<void> {
  const template = await embeddedTemplate();
  mkdirSync(dir, { recursive: true });
  cpSync(join(template, 'database'), join(dir, 'database'), { recursive: true });
}

/** The template is kept between runs, under the versions of PGlite and pg-boss and the text of the migrations. */
async function embeddedTemplate(): Promise<string> {
  const template = join(CACHE, `database-${fingerprint()}`);
  if (existsSync(template)) return template;
  mkdirSync(CACHE, { recursive: true });
  const beside = mkdtempSync(join(CACHE, 'making-'));
  try {
    await makeEmptyDatabase(beside);
    for (const number of UNUSED) {
      const folder = join(beside, 'database', 'base', number);
      for (const file of readdirSync(folder)) rmSync(join(folder, file));
    }
    renameSync(beside, template);
  } catch (error) {
    if (!existsSync(template)) throw error; // otherwise another test file was faster
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  return template;
}

/** pg-boss makes its tables when a queue is first opened, which takes a second. Its code is loaded where there is no template yet. */
async function makeEmptyDatabase(dir: string): Promise<void> {
  const store = await openDatabase({ kind: 'embedded', dir, fsync: false });
  try {
    const { TrainingQueue } = await import('../../src/server/training/training-queue.ts');
    const queue = await TrainingQueue.open(store, (error) => {
      throw error;
    });
    await queue.close();
  } finally {
    await store.close();
  }
}

function fingerprint(): string {
  const versions = ['@electric-sql/pglite', 'pg-boss'].map(versionOf);
  const text = (path: string) => readFileSync(fileURLToPath(new URL(path, SOURCE)), 'utf8');
  const migrations = readdirSync(new URL('storage/database/migrations/', SOURCE)).map((file) =>
    text(`storage/database/migrations/${file}`),
  );
  return createHash('sha256')
    .update(JSON.stringify([versions, UNUSED, migrations, text('server/training/training-queue.ts')]))
    .digest('hex')
    .slice(0, 16);
}

/** Of a package that the repository has installed. */
function versionOf(name: string): string {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
