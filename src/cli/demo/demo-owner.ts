// [owner] Runs one owner of `f3 demo` in a process of its own, from joining to sending its bundle. Help does not list it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';

interface Options {
  url: string;
  code: string;
  home: string;
  bundle: string;
  seed: number;
}

/** What an owner of the demo reports of its time online. */
export interface DemoOwnerReport {
  owner: string;
  /** Id of the owner's process. */
  pid: number;
  keyId: string;
  windows: number;
  epochs: number;
  /** Size of the bundle. */
  bytes: number;
  sha256: string;
  version: number;
}

export function demoOwnerCommand(): Command {
  return new Command('demo-owner')
    .description('an owner of f3 demo: join, train, embed, push in one process')
    .argument('<folder>', "the owner's folder, all that it sees")
    .requiredOption('--url <url>', "the coordinator's address")
    .requiredOption('--code <code>', 'to join with')
    .requiredOption('--home <dir>', 'for its key')
    .requiredOption('--bundle <file>', 'to write and send')
    .option('--seed <n>', 'of weights and shuffles', integerFrom(0), 1)
    .action(runDemoOwner);
}

/** What f3 owner join, train, embed and push do, without starting four times. */
async function runDemoOwner(folder: string, { url, code, home, bundle: file, seed }: Options): Promise<void> {
  const { Engine } = await import('../../core/engine/engine.ts');
  const { embedOwner } = await import('../../embed/embed-owner.ts');
  const { recommendedOwnerPreset } = await import('../../embed/owner-preset.ts');
  const { trainOwner } = await import('../../embed/train-owner.ts');
  const { writeBundle } = await import('../../exchange/bundle/bundle-file.ts');
  const { joinFederation } = await import('../../exchange/client/join-federation.ts');
  const { PLACE_FILE, readPlaceFile } = await import('../../data/dataset/owner-place.ts');
  const { memberClient } = await import('../federation/member-client.ts');
  const { owner, federation, keyId } = await joinFederation({ url, code, home });
  const engine = new Engine({ threads: 1 });
  const { card } = await trainOwner(engine, folder, { ...recommendedOwnerPreset, seed });
  const embedded = await embedOwner(engine, folder);
  await engine.dispose();
  const { bytes } = writeBundle(file, { ...embedded, sampleType: 'text', created: new Date().toISOString() });
  const { client } = await memberClient({ home });
  // Owners of the demo tell where they are, since they are nowhere.
  const place = join(folder, PLACE_FILE);
  if (existsSync(place)) await client.tellCoordinates(federation as string, await readPlaceFile(place));
  const { version, sha256 } = await client.upload(federation as string, 'bundle', bytes);
  const report: DemoOwnerReport = {
    owner,
    pid: process.pid,
    keyId,
    windows: embedded.samples.length,
    epochs: card.epochs,
    bytes: bytes.length,
    sha256,
    version,
  };
  printResult(report, '', true);
}
