import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { readLargeFile, writeLargeFile } from './large-file.ts';

test('a file is written and read in pieces, the last of them shorter', () => {
  const file = join(temporaryDirectory(), 'large');
  for (const length of [10_007, 4096, 1, 0]) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 31);
    writeLargeFile(file, bytes, 1000);
    expect(new Uint8Array(readFileSync(file))).toEqual(bytes);
    expect(readLargeFile(file, 1000)).toEqual(bytes);
  }
});
