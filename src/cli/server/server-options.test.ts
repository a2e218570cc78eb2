import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { databaseUrl } from './server-options.ts';

test.each([
  ['hush', 'hush'],
  ['hush\n', 'hush'],
  ['a b/c:d@e%20f?g#h&ü', 'a b/c:d@e%20f?g#h&ü'],
])('a password file with %j gives the server %j', (text, password) => {
  const file = join(temporaryDirectory(), 'password');
  writeFileSync(file, text);
  const url = databaseUrl({ database: 'postgres://f3@db:5433/fusion?sslmode=disable', databasePasswordFile: file });
  const { user, password: given, host, port, database } = new pg.Client(url);
  expect([user, given, host, port, database]).toEqual(['f3', password, 'db', 5433, 'fusion']);
});

test('without a database there is none to name', () => {
  expect(databaseUrl({})).toBeUndefined();
});
