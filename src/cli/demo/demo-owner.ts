// [owner] Runs one owner of `f3 demo` in a process of its own, from joining to sending its bundle. Help does not list it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { memberClient } from '../federation/member-client.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';

interface Options {
  url: string;
  code: string;
  home: string;
  bundle: string;
  seed: number;
  charter?: string;
}

/** What an owner of the demo reports of its time online. */
export interface DemoOwnerReport {
  owner: string;
  /** Id of the owner's process. */
  pid: number;
  keyId: string;
  windows: number;
  epochs: number;
  /** Size of the bundle, or of all its shares together. */
  bytes: number;
  /** Of the bundle; on shares, of what the owner signed. */
  sha256: string;
  version: number;
}

type ReachedMember = Awaited<ReturnType<typeof memberClient>>;

export function demoOwnerCommand(): Command {
  return new Command('demo-owner')
    .description('an owner of f3 demo: join, train, embed, push in one process')
    .argument('<folder>', "the owner's folder, all that it sees")
    .requiredOption('--url <url>', "the coordinator's address")
    .requiredOption('--code <code>', 'to join with')
    .requiredOption('--home <dir>', 'for its key')
    .requiredOption('--bundle <file>', 'to write and send')
    .option('--charter <fingerprint>', 'send shares to the entities of this charter')
    .option('--seed <n>', 'of weights and shuffles', integerFrom(0), 1)
    .action(runDemoOwner);
}

/** What f3 owner join, train, embed and push do, without starting four times. */
async function runDemoOwner(folder: string, options: Options): Promise<void> {
  const { url, code, home, bundle: file, seed, charter } = options;
  const { Engine } = await import('../../core/engine/engine.ts');
  const { embedOwner } = await import('../../embed/embed-owner.ts');
  const { recommendedOwnerPreset } = await import('../../embed/owner-preset.ts');
  const { trainOwner } = await import('../../embed/train-owner.ts');
  const { writeBundle } = await import('../../exchange/bundle/bundle-file.ts');
  const { joinFederation } = await import('../../exchange/client/join-federation.ts');
  const { PLACE_FILE, readPlaceFile } = await import('../../data/dataset/owner-place.ts');
  const { memberClient: reachMember } = await import('../federation/member-client.ts');
  const { owner, federation, keyId } = await joinFederation({ url, code, home });
  const engine = new Engine({ threads: 1 });
  const { card } = await trainOwner(engine, folder, { ...recommendedOwnerPreset, seed });
  const embedded = await embedOwner(engine, folder);
  await engine.dispose();
  const { bytes } = writeBundle(file, { ...embedded, sampleType: 'text', created: new Date().toISOString() });
  const member = await reachMember({ home });
  // Owners of the demo tell where they are, since they are nowhere.
  const place = join(folder, PLACE_FILE);
  if (existsSync(place)) await member.client.tellCoordinates(federation as string, await readPlaceFile(place));
  const sent = charter === undefined ? await pushOpenly(member, bytes) : await pushInShares(member, bytes, charter);
  const report: DemoOwnerReport = {
    owner,
    pid: process.pid,
    keyId,
    windows: embedded.samples.length,
    epochs: card.epochs,
    ...sent,
  };
  printResult(report, '', true);
}

type Sent = Pick<DemoOwnerReport, 'version' | 'sha256' | 'bytes'>;

async function pushOpenly({ client, membership }: ReachedMember, bundle: Uint8Array): Promise<Sent> {
  const { version, sha256 } = await client.upload(membership.federation as string, 'bundle', bundle);
  return { version, sha256, bytes: bundle.length };
}

/** Share j goes to entity j and to nobody else. */
async function pushInShares(member: ReachedMember, bundle: Uint8Array, charter: string): Promise<Sent> {
  const { makeHomeFolder, membershipFolder } = await import('../../exchange/identity/home.ts');
  const { loadKeyPair } = await import('../../exchange/identity/key-pair.ts');
  const { pushShares } = await import('../../shares/owner/push-shares.ts');
  const { client, membership, key, home } = member;
  const federation = membership.federation as string;
  const folder = membershipFolder(home, federation, membership.url);
  makeHomeFolder(home, folder);
  const keys = await loadKeyPair(key);
  const pushed = await pushShares({ client, federation, keys, bytes: bundle, folder, fingerprint: charter });
  return { version: pushed.version, sha256: pushed.root, bytes: pushed.sent };
}
