import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { type Bundle, decodeBundle, encodeBundle } from './bundle.ts';
import { readBundleFile, writeBundle } from './bundle-file.ts';

const bundle: Bundle = {
  owner: 'plant-7',
  samples: ['a', 'b'],
  sampleType: 'text',
  width: 1,
  embeddings: Float32Array.of(1, 2),
};

test('writes the bundle and nothing beside it', async () => {
  const dir = temporaryDirectory();
  const file = join(dir, 'b.arrow');
  const { bytes, warnings } = writeBundle(file, bundle);
  expect(warnings).toEqual([]);
  expect(readdirSync(dir)).toEqual(['b.arrow']);
  expect(Buffer.compare(readFileSync(file), encodeBundle(bundle))).toBe(0);
  expect(decodeBundle(await readBundleFile(file), file)).toEqual(bundle);
  expect(bytes.length).toBe(readFileSync(file).length);
});

test('an existing file needs overwrite', () => {
  const file = join(temporaryDirectory(), 'b.arrow');
  writeFileSync(file, 'mine');
  expect(() => writeBundle(file, bundle)).toThrow(
    expect.objectContaining({
      code: 'F3_BUNDLE_EXISTS',
      message: `output ${file}: must not exist yet`,
    }),
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  writeBundle(file, bundle, { overwrite: true });
  expect(readFileSync(file).subarray(0, 6).toString()).toBe('ARROW1');
});

test('a bundle with errors leaves no file, and an existing one as it was', () => {
  const dir = temporaryDirectory();
  const file = join(dir, 'b.arrow');
  const bad = { ...bundle, embeddings: Float32Array.of(1, Number.NaN) };
  expect(() => writeBundle(file, bad)).toThrow(expect.objectContaining({ code: 'F3_BUNDLE_NOT_FINITE' }));
  expect(readdirSync(dir)).toEqual([]);
  writeBundle(file, bundle);
  expect(() => writeBundle(file, bad, { overwrite: true })).toThrow(
    expect.objectContaining({ code: 'F3_BUNDLE_NOT_FINITE' }),
  );
  expect(Buffer.compare(readFileSync(file), encodeBundle(bundle))).toBe(0);
});

test('paths that cannot be written or read', async () => {
  const dir = temporaryDirectory();
  mkdirSync(join(dir, 'folder'));
  const nowhere = join(dir, 'none', 'b.arrow');
  expect(() => writeBundle(nowhere, bundle)).toThrow(
    expect.objectContaining({
      code: 'F3_BUNDLE_UNWRITABLE',
      message: `${nowhere}: must be writable, got no such directory`,
    }),
  );
  expect(() => writeBundle(join(dir, 'folder'), bundle, { overwrite: true })).toThrow(
    'must be writable, got a directory',
  );
  expect(readdirSync(dir)).toEqual(['folder']);
  await expect(readBundleFile(join(dir, 'none'))).rejects.toThrow('must be readable, got no such file');
  await expect(readBundleFile(dir)).rejects.toThrow(expect.objectContaining({ code: 'F3_BUNDLE_UNREADABLE' }));
});
