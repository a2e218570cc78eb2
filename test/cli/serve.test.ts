// Mistakes in what `f3 serve` and `f3 worker` are told: one line with a code, exit 2, and nothing was opened.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { runF3 } from './run-f3.ts';

const tls = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
const dir = suiteDirectory();
const data = join(dir, 'data');
const junk = join(dir, 'junk.pem');
const broken = join(dir, 'broken.pem');
const serve = (...args: string[]) => ['serve', '--port', '0', '--data', data, ...args];
const POSTGRES = '--database: must be a URL that begins with postgres:// or postgresql://, got';

describe('is told in one line', () => {
  it.each<[string, string[], string]>([
    ['a level that is none', serve('--log-level', 'foo'), 'Allowed choices are fatal, error,'],
    ['a certificate that is none', serve('--tls-cert', junk, '--tls-key', tls('server-key.pem')), `--tls-cert ${junk}`],
    ['a broken certificate', serve('--tls-cert', broken, '--tls-key', tls('server-key.pem')), `--tls-cert ${broken}`],
    ['a key that is none', serve('--tls-cert', tls('server.pem'), '--tls-key', junk), `--tls-key ${junk}: must be the`],
    [
      'a key of another certificate',
      serve('--tls-cert', tls('server.pem'), '--tls-key', tls('client-key.pem')),
      'must be the private key (PEM) of',
    ],
    [
      'an authority that is none',
      serve('--tls-cert', tls('server.pem'), '--tls-key', tls('server-key.pem'), '--tls-ca', junk),
      `--tls-ca ${junk}: must be an authority's certificate (PEM), got`,
    ],
    ['a certificate without a name', serve('--tls-cert', '', '--tls-key', ''), '--tls-cert : must be a certificate'],
    ['a database that is no URL', serve('--database', 'notaurl'), `${POSTGRES} something else`],
    ['another database', serve('--database', 'mysql://root:hush@db/f3'), `${POSTGRES} mysql://…`],
    ["a worker's database that is no URL", ['worker', '--database', 'db:5432/f3'], `${POSTGRES} something else`],
  ])('%s', (_, args, message) => {
    for (const file of [junk, broken])
      writeFileSync(file, file === junk ? 'junk' : '-----BEGIN CERTIFICATE-----\njunk\n');
    const { status, stdout, stderr } = runF3(...args);
    const [first] = stderr.split('\n');
    expect(first).toContain(message);
    expect(first).toMatch(/^f3: .* \[F3_OPTION\]$/);
    expect(stderr).not.toContain('hush');
    expect([status, stdout]).toEqual([2, '']);
    expect(existsSync(data)).toBe(false);
  });

  it('a file where the data folder should be', () => {
    writeFileSync(junk, 'junk');
    const { status, stderr } = runF3('serve', '--port', '0', '--data', junk);
    expect(stderr).toMatch(
      /^f3: data folder .*: must be a folder to write in, got EEXIST.* \[F3_STORAGE_DIRECTORY\]\n$/,
    );
    expect(status).toBe(2);
  });
});
