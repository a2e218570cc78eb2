import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { type Bundle, encodeBundle } from './bundle.ts';
import { type LoadedBundle, listBundles, readBundles } from './bundle-folder.ts';

const bundleOf = (owner: string, samples: string[], sampleType: Bundle['sampleType'] = 'text'): Bundle => ({
  owner,
  samples,
  sampleType,
  width: 1,
  embeddings: Float32Array.from(samples, (_, row) => row + 1),
});

function folderOf(...bundles: Bundle[]): string {
  const dir = temporaryDirectory();
  for (const bundle of bundles) writeFileSync(join(dir, `${bundle.owner}.arrow`), encodeBundle(bundle));
  return dir;
}

async function readAll(dir: string): Promise<LoadedBundle[]> {
  const all: LoadedBundle[] = [];
  for await (const stored of readBundles(listBundles([dir]))) all.push(stored);
  return all;
}

test('bundles that list the same samples share one array of ids, others do not', async () => {
  const dir = folderOf(bundleOf('a', ['x', 'yz']), bundleOf('b', ['x', 'yz']), bundleOf('c', ['xy', 'z']));
  const [a, b, c] = (await readAll(dir)).map(({ bundle }) => bundle);
  expect(b.samples).toBe(a.samples);
  expect(c.samples).toEqual(['xy', 'z']);
});

test('integers are shared with integers, never with text of the same digits', async () => {
  const dir = folderOf(
    bundleOf('a', ['1', '2'], 'integer'),
    bundleOf('b', ['1', '2'], 'integer'),
    bundleOf('c', ['1', '2']),
    bundleOf('d', ['1', '2', '3']),
  );
  const [a, b, c, d] = (await readAll(dir)).map(({ bundle }) => bundle);
  expect(b.samples).toBe(a.samples);
  expect(c.sampleType).toBe('text');
  expect(d.samples).toEqual(['1', '2', '3']);
});

test('odd ids are told of every bundle, by its owner', async () => {
  const dir = folderOf(bundleOf('a', ['x ', 'y']), bundleOf('b', ['x ', 'y']));
  const warnings = (await readAll(dir)).flatMap((stored) => stored.warnings);
  expect(warnings.map(({ message }) => message.slice(0, 9))).toEqual(['bundle a:', 'bundle b:']);
  expect(warnings.map(({ code }) => code)).toEqual(['padded-id', 'padded-id']);
});

test('the first error ends the reading, after the bundles before it', async () => {
  const dir = folderOf(bundleOf('a', ['x', 'y']), bundleOf('b', ['x', 'x']), bundleOf('c', ['x', 'y']));
  const owners: string[] = [];
  const reading = (async () => {
    for await (const { bundle } of readBundles(listBundles([dir]))) owners.push(bundle.owner);
  })();
  await expect(reading).rejects.toThrow('bundle b: every sample must occur once, got x in rows 1 and 2');
  expect(owners).toEqual(['a']);
});

test('a file that is gone when its turn comes is an error only then', async () => {
  const dir = folderOf(bundleOf('a', ['x']), bundleOf('b', ['x']));
  const files = listBundles([dir]);
  rmSync(files[1]);
  const bundles = readBundles(files);
  expect((await bundles.next()).value?.bundle.owner).toBe('a');
  await expect(bundles.next()).rejects.toThrow(expect.objectContaining({ code: 'F3_BUNDLE_UNREADABLE' }));
});
