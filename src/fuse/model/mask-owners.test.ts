import { afterAll, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine.ts';
import { maskOwners } from './mask-owners.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

it('clears absent owners and keeps gradients from them', () => {
  const tape = engine.tape();
  const embeddings = engine.parameter([2, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const masked = maskOwners(tape, embeddings, [1, 0, 0, 1]);
  masked.gradient.fill(0.5);
  tape.replay();
  expect([...masked.data]).toEqual([1, 2, 3, 0, 0, 0, 0, 0, 0, 10, 11, 12]);
  expect([...embeddings.gradient]).toEqual([0.5, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0.5, 0.5, 0.5]);
});
