// Runs the same tests on both databases: PGlite in a folder, and a PostgreSQL server.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Role } from '../../src/exchange/messages.ts';
import { type DatabaseLocation, openDatabase, type Store } from '../../src/storage/database/open-database.ts';
import { createFederation } from '../../src/storage/federations.ts';
import { addMember } from '../../src/storage/members.ts';
import type { Db, MemberRow } from '../../src/storage/schema.ts';
import { copyEmbeddedTemplate } from './embedded-template.ts';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres-server.ts';
import { unless } from './unless.ts';

export interface StoreSuite {
  readonly kind: DatabaseLocation['kind'];
  /** The store of the suite, which its tests share: each names what it makes by itself. */
  readonly store: Store;
  readonly db: Db;
  /** An empty database that nobody has opened yet. */
  location(): Promise<DatabaseLocation>;
}

const missing = await postgresMissing();

export function describeStores(name: string, tests: (suite: StoreSuite) => void): void {
  describe(`${name}, embedded`, () => {
    const dirs: string[] = [];
    // Vitest runs these hooks in reverse, so the store is closed before its folder goes.
    afterAll(() => {
      for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
    });
    withStore('embedded', tests, async () => {
      const dir = mkdtempSync(join(tmpdir(), 'f3-test-'));
      dirs.push(dir);
      await copyEmbeddedTemplate(dir);
      return { kind: 'embedded', dir };
    });
  });
  describe(`${name}, PostgreSQL`, unless(missing), () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server?.stop());
    withStore('postgres', tests, async () => ({ kind: 'postgres', url: await server.createDatabase() }));
  });
}

function withStore(
  kind: DatabaseLocation['kind'],
  tests: (suite: StoreSuite) => void,
  location: () => Promise<DatabaseLocation>,
): void {
  let store: Store;
  beforeAll(async () => {
    store = await openDatabase(await location());
  });
  tests({
    kind,
    location,
    get store() {
      return store;
    },
    get db() {
      return store.db;
    },
  });
  afterAll(() => store?.close());
}

/** Makes a federation that no other test uses. */
export async function someFederation(db: Db): Promise<string> {
  const { name } = await createFederation(db, { name: `test-${randomBytes(8).toString('hex')}` });
  return name;
}

export function someMember(db: Db, federation: string, owner = 'plant-7', role: Role = 'owner'): Promise<MemberRow> {
  return addMember(db, { federation, owner, role, ...someKey() });
}

export const someKey = () => ({ keyId: randomBytes(16).toString('hex'), publicKey: { kty: 'OKP', crv: 'Ed25519' } });
