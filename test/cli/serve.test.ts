// Mistakes in what `f3 serve` and `f3 worker` are told: one line with a code, exit 2, and nothing was opened.
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../support/embedded-template.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { runF3 } from './run-f3.ts';
import { startF3 } from './start-f3.ts';

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
    [
      'a certificate that has expired',
      serve('--tls-cert', tls('expired.pem'), '--tls-key', tls('expired-key.pem')),
      'must be a certificate (PEM), got one that expired at 2021-01-01T00:00:00.000Z',
    ],
    [
      'a certificate that is not there',
      serve('--tls-cert', join(dir, 'none.pem'), '--tls-key', tls('server-key.pem')),
      'none.pem: must be a certificate (PEM), got no such file',
    ],
    ['a certificate without its key', serve('--tls-cert', tls('server.pem')), 'must be given together'],
    ['an authority alone', serve('--tls-ca', tls('ca.pem')), '--tls-ca: must come with --tls-cert and --tls-key'],
    ['a certificate without a name', serve('--tls-cert', '', '--tls-key', ''), '--tls-cert : must be a certificate'],
    ['a database that is no URL', serve('--database', 'notaurl'), `${POSTGRES} something else`],
    ['another database', serve('--database', 'mysql://root:hush@db/f3'), `${POSTGRES} mysql://…`],
    ['a password file alone', serve('--database-password-file', junk), 'must come with --database, got it alone'],
    [
      'a password twice',
      serve('--database', 'postgres://f3:hush@db/f3', '--database-password-file', junk),
      '--database: must hold no password beside --database-password-file, got one',
    ],
    [
      'a password file that is not there',
      serve('--database', 'postgres://f3@db/f3', '--database-password-file', join(dir, 'none')),
      'none: must be readable, got no such file',
    ],
    [
      'a password file of several lines',
      ['worker', '--database', 'postgres://f3@db/f3', '--database-password-file', broken],
      `--database-password-file ${broken}: must hold the password and nothing else, got several lines`,
    ],
    [
      'a password for no host',
      serve('--database', 'postgres:///f3', '--database-password-file', junk),
      '--database: must name a host for --database-password-file, got none',
    ],
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

  it('a port that is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await copyEmbeddedTemplate(join(dir, 'busy', 'database'));
    const args = ['serve', '--port', String(port), '--data', join(dir, 'busy'), '--log-level', 'warn'];
    try {
      expect(await startF3(args)).toEqual({
        status: 2,
        stdout: '',
        stderr: `f3: coordinator: must be able to listen at 127.0.0.1:${port}, got one that another process uses [F3_LISTEN]\n`,
      });
    } finally {
      other.close();
    }
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
