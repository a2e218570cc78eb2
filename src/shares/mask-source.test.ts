import { afterAll, expect, it } from 'vitest';
import { testKeys } from '../../test/support/local-entities.ts';
import { Engine } from '../core/engine/engine.ts';
import { Field } from './field.ts';
import { MaskSource } from './mask-source.ts';
import { Scheme } from './scheme.ts';

const engine = new Engine({ threads: 1 });
const field = new Field(engine);
afterAll(() => engine.dispose());
const scheme = new Scheme(1, 3);

it('masks differ by session, step and opening, and are the same for the same', () => {
  const made = (session: string, step: number, opening: number) => {
    const source = new MaskSource(field, scheme, 2, testKeys(scheme, 2), session);
    return Buffer.from(field.copy(source.masks({ step, opening }, 4, 120, 24).masks)).toString('hex');
  };
  const first = made('a', 1, 1);
  expect(made('a', 1, 1)).toBe(first);
  expect(new Set([first, made('b', 1, 1), made('a', 2, 1), made('a', 1, 2)]).size).toBe(4);
});

it('an entity without a key of one of its sets is told which', () => {
  const keys = new Map(testKeys(scheme, 2));
  keys.delete('2 3');
  expect(() => new MaskSource(field, scheme, 2, keys, 'a')).toThrow(
    expect.objectContaining({
      code: 'F3_SHARES_KEY',
      message: 'entity 2: the key of entities 2 3 must have 32 bytes, got none',
    }),
  );
});
