// Processes of one membership that ask a key holder at the same time: no id is paid for twice, and none waits for a dead one.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { createKeyPair, saveKeyPair } from '../../exchange/identity/key-pair.ts';
import { buildKeyHolder } from '../key-holder/key-holder-app.ts';
import { KeyHolderFiles } from '../key-holder/key-holder-files.ts';
import { OprfThreads } from './oprf-threads.ts';

const PROGRAM = `
const [folder, url, ids, at] = process.argv.slice(1);
const { Pseudonyms } = await import(at + 'pseudonyms.ts');
const { loadKeyPair } = await import(at + '../../exchange/identity/key-pair.ts');
const keys = await loadKeyPair(folder + '/key.json');
const made = await Pseudonyms.open({ url, folder, federation: 'grid', keys, threads: 1 });
process.stdout.write(JSON.stringify(await made.of(JSON.parse(ids))));
await made.close();
`;

const running: ChildProcessByStdio<null, Readable, Readable>[] = [];
const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const close of closings.splice(0)) await close();
});

/** A key holder, and the folder of a membership that it has let in. */
async function keyHolder() {
  const threads = new OprfThreads(1);
  const files = KeyHolderFiles.open(temporaryDirectory());
  const app = await buildKeyHolder(files, threads, { batch: 4 });
  closings.push(
    () => app.close(),
    () => threads.close(),
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const [folder, keys] = [temporaryDirectory(), await createKeyPair()];
  saveKeyPair(join(folder, 'key.json'), keys);
  files.join(files.invite('north').code, { keyId: keys.id, publicKey: keys.publicKey });
  return { threads, url, folder, used: () => files.used(keys.id) };
}

function start(folder: string, url: string, ids: readonly string[]) {
  const words = [folder, url, JSON.stringify(ids), `${import.meta.dirname}/`];
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  return child;
}

async function result(child: ReturnType<typeof start>): Promise<string[]> {
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(code, errors).toBe(0);
  return JSON.parse(out) as string[];
}

const IDS = Array.from({ length: 60 }, (_, i) => `sample ${i}`);

it('pay for an id once between them', async () => {
  const { url, folder, used } = await keyHolder();
  const backwards = [...IDS].reverse();
  const [one, other] = await Promise.all([result(start(folder, url, IDS)), result(start(folder, url, backwards))]);
  expect(used()).toBe(IDS.length);
  expect(other.reverse()).toEqual(one);
  expect(new Set(one).size).toBe(IDS.length);
});

it('go on when the one that was asking is killed, and pay again for what it had no answer to only', async () => {
  const { threads, url, folder, used } = await keyHolder();
  const evaluate = threads.evaluate.bind(threads);
  const asked = new Promise<void>((resolve) => {
    threads.evaluate = () => {
      resolve();
      return new Promise(() => {}); // an answer that never comes
    };
  });
  const first = start(folder, url, IDS);
  await asked;
  const second = start(folder, url, IDS);
  first.kill('SIGKILL');
  await once(first, 'exit');
  threads.evaluate = evaluate;
  expect(new Set(await result(second)).size).toBe(IDS.length);
  // It had at most two batches of four under way, one more than it has threads.
  expect(used()).toBeGreaterThan(IDS.length);
  expect(used()).toBeLessThanOrEqual(IDS.length + 8);
});
