// [entity] An entity's folder: its key, the charters that its operator admitted, and a folder per federation. One process uses it at a time.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { F3Error } from '../../errors.ts';
import { createKeyPair, type KeyPair, loadKeyPair, saveKeyPair } from '../../exchange/identity/key-pair.ts';
import { type Charter, charterFingerprint, parseEntityAddress, readCharter } from '../charter.ts';
import { removeSettled, writeSettled } from './settled-files.ts';

const KEY = 'key.json';
const ADDRESS = 'address.json';
/** Charters that wait for the operator's word; who proposes more drives out the oldest. */
const MOST_PROPOSED = 20;

/** What is known of a charter here. */
export interface KnownCharter {
  fingerprint: string;
  charter: Charter | undefined;
  state: 'proposed' | 'admitted' | 'in use';
}

/** The files of an entity, beside the shares. */
export class EntityFolder {
  readonly dir: string;
  readonly keys: KeyPair;
  /** tls://host:port#key-id, which goes into charters. */
  readonly address: string;

  private constructor(dir: string, keys: KeyPair, url: string) {
    this.dir = dir;
    this.keys = keys;
    this.address = `${url}#${keys.id}`;
  }

  /** Makes the key, once. `url` is where others reach the entity. */
  static async create(dir: string, url: string): Promise<EntityFolder> {
    try {
      for (const part of ['admitted', 'proposed', 'federations']) {
        mkdirSync(join(dir, part), { recursive: true, mode: 0o700 });
      }
    } catch (cause) {
      const got = (cause as Error).message;
      throw new F3Error('F3_STORAGE_DIRECTORY', `data folder ${dir}: must be a folder to write in, got ${got}`, {
        cause,
      });
    }
    const keys = existsSync(join(dir, KEY)) ? await loadKeyPair(join(dir, KEY)) : await createKeyPair();
    const { url: plain } = parseEntityAddress(`${url}#${keys.id}`);
    if (!existsSync(join(dir, KEY))) saveKeyPair(join(dir, KEY), keys);
    writeSettled(join(dir, ADDRESS), `${JSON.stringify({ url: plain })}\n`);
    return new EntityFolder(dir, keys, plain);
  }

  static async open(dir: string): Promise<EntityFolder> {
    if (!existsSync(join(dir, KEY)) || !existsSync(join(dir, ADDRESS))) {
      const got = existsSync(dir) ? 'another folder' : 'none';
      throw new F3Error('F3_STORAGE_DIRECTORY', `data folder ${dir}: must be that of an entity, got ${got}`, {
        remedy: 'entityFolder',
      });
    }
    const { url } = JSON.parse(readFileSync(join(dir, ADDRESS), 'utf8')) as { url: string };
    return new EntityFolder(dir, await loadKeyPair(join(dir, KEY)), url);
  }

  /** The operator's word that this charter may be served. A process that runs takes note of it. */
  admit(fingerprint: string): void {
    writeSettled(join(this.dir, 'admitted', fingerprint), `${new Date().toISOString()}\n`);
  }

  isAdmitted(fingerprint: string): boolean {
    return existsSync(join(this.dir, 'admitted', fingerprint));
  }

  /** Keeps a charter for the operator to look at. */
  propose(charter: Charter): void {
    const folder = join(this.dir, 'proposed');
    writeSettled(join(folder, charterFingerprint(charter)), `${JSON.stringify(charter, null, 2)}\n`);
    const byAge = readdirSync(folder)
      .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
      .sort((a, b) => b.at - a.at);
    for (const { name } of byAge.slice(MOST_PROPOSED)) rmSync(join(folder, name), { force: true });
  }

  /** A charter that its coordinator has shown and that is not in use yet. */
  proposed(fingerprint: string): Charter | undefined {
    return this.#fingerprints('proposed').includes(fingerprint) ? this.#readProposed(fingerprint) : undefined;
  }

  /** Makes the federation's folder. Returns its path. */
  install(charter: Charter): string {
    const fingerprint = charterFingerprint(charter);
    const folder = this.federationFolder(fingerprint);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeSettled(join(folder, 'charter.json'), `${JSON.stringify(charter, null, 2)}\n`);
    removeSettled(join(this.dir, 'proposed', fingerprint));
    return folder;
  }

  federationFolder(fingerprint: string): string {
    return join(this.dir, 'federations', fingerprint);
  }

  /** Charters in use. */
  installed(): Charter[] {
    return this.#fingerprints('federations').map((name) =>
      readCharter(JSON.parse(readFileSync(join(this.federationFolder(name), 'charter.json'), 'utf8'))),
    );
  }

  charters(): KnownCharter[] {
    const inUse = this.installed().map((charter) => ({ fingerprint: charterFingerprint(charter), charter }));
    const used = new Set(inUse.map(({ fingerprint }) => fingerprint));
    const proposed = new Map(this.#fingerprints('proposed').map((name) => [name, this.#readProposed(name)]));
    const open = [...new Set([...this.#fingerprints('admitted'), ...proposed.keys()])].filter((one) => !used.has(one));
    return [
      ...inUse.map((one) => ({ ...one, state: 'in use' as const })),
      ...open.map((fingerprint) => ({
        fingerprint,
        charter: proposed.get(fingerprint),
        state: this.isAdmitted(fingerprint) ? ('admitted' as const) : ('proposed' as const),
      })),
    ];
  }

  #readProposed(fingerprint: string): Charter {
    return readCharter(JSON.parse(readFileSync(join(this.dir, 'proposed', fingerprint), 'utf8')));
  }

  #fingerprints(part: string): string[] {
    return readdirSync(join(this.dir, part)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  }
}
