import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { keepNoiseChoice } from './noise-choice.ts';
import { noteWithoutNoise, sentWithoutNoise } from './without-noise.ts';

const at = (day: number) => new Date(Date.UTC(2026, 2, day));

it('remembers the first and the last time that embeddings left without noise', () => {
  const folder = temporaryDirectory();
  expect(sentWithoutNoise(folder)).toBeUndefined();
  noteWithoutNoise(folder, at(1));
  noteWithoutNoise(folder, at(2));
  noteWithoutNoise(folder, at(3));
  expect(sentWithoutNoise(folder)).toEqual({ first: at(1).toISOString(), last: at(3).toISOString() });
});

it('stops what is about to leave if it cannot be written down, where noise was chosen', () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'privacy'), 'a file in the way of the folder');
  noteWithoutNoise(folder);
  const chosen = temporaryDirectory();
  keepNoiseChoice(chosen, { clip: 1, noise: 2, epsilon: 8, delta: 1e-5 });
  mkdirSync(join(chosen, 'privacy', 'without-noise.json'));
  expect(() => noteWithoutNoise(chosen)).toThrow();
});

it('is refused when its file is not one', () => {
  for (const text of ['', 'null', '{"first":1,"last":2}', '{"first":"never","last":"soon"}']) {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'privacy'));
    writeFileSync(join(folder, 'privacy', 'without-noise.json'), text);
    expect(() => sentWithoutNoise(folder)).toThrow(expect.objectContaining({ code: 'F3_HOME' }));
  }
});
