import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../engine/engine.ts';
import { transposed } from './transposed.ts';

describe('transposed copies', () => {
  const engine = new Engine({ threads: 2 });
  afterAll(() => engine.dispose());

  it.each([
    [1, 1, 1],
    [3, 4, 8],
    [2, 5, 7],
    [5, 3, 2],
    [2, 9, 4],
  ])('of %i matrices [%i, %i] have rows for columns', (count, rows, columns) => {
    const values = Float32Array.from({ length: count * rows * columns }, (_, i) => i);
    const from = engine.buffer([count, rows, columns], values);
    const to = transposed(engine.tape(), from.address, count, rows, columns);
    const wanted = values.map((_, at) => {
      const [matrix, column, row] = [Math.floor(at / (rows * columns)), Math.floor(at / rows) % columns, at % rows];
      return (matrix * rows + row) * columns + column;
    });
    expect(engine.memory.floats(to, values.length)).toEqual(wanted);
  });
});
