import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../engine/engine.ts';
import { gatherRows } from './gather-rows.ts';

describe('gather rows', () => {
  const engine = new Engine({ threads: 2 });
  afterAll(() => engine.dispose());
  const source = engine.buffer(
    [5, 2, 3],
    Array.from({ length: 30 }, (_, i) => i),
  );

  it('copies the rows in the order asked for, repeats included', () => {
    const batch = gatherRows(engine.tape(), source, [4, 0, 4]);
    expect(batch.shape).toEqual([3, 2, 3]);
    expect([...batch.data]).toEqual([24, 25, 26, 27, 28, 29, 0, 1, 2, 3, 4, 5, 24, 25, 26, 27, 28, 29]);
  });

  it('refuses an index past the end, naming it and its place', () => {
    expect(() => gatherRows(engine.tape(), source, [0, 5])).toThrow(
      'gather rows: index must be an integer in [0, 5), got 5 (entry 1)',
    );
  });
});
