// An empty embedded database to copy, because making one takes seconds and copying it takes a moment.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/storage/database/open-database.ts';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/f3/', import.meta.url));
/**
 * The folders of template1 and template0, with two thirds of all files. New databases are copied from them, and nobody makes
 * one here. They are emptied because making and deleting files is most of what a copy costs.
 */
const UNUSED = ['1', '4'];

/** Puts an empty database of the current schema into a folder that has none. */
export async function copyEmbeddedTemplate(dir: string): Promise<void> {
  const template = await embeddedTemplate();
  mkdirSync(dir, { recursive: true });
  cpSync(join(template, 'database'), join(dir, 'database'), { recursive: true });
}

/** The template is kept between runs, under the version of PGlite and the text of the migrations. */
async function embeddedTemplate(): Promise<string> {
  const template = join(CACHE, `database-${fingerprint()}`);
  if (existsSync(template)) return template;
  mkdirSync(CACHE, { recursive: true });
  const beside = mkdtempSync(join(CACHE, 'making-'));
  try {
    await (await openDatabase({ kind: 'embedded', dir: beside, fsync: false })).close();
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

function fingerprint(): string {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8')) as { version: string };
  const folder = fileURLToPath(new URL('../../src/storage/database/migrations/', import.meta.url));
  const migrations = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  return createHash('sha256')
    .update(JSON.stringify([version, UNUSED, migrations]))
    .digest('hex')
    .slice(0, 16);
}
