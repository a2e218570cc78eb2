import { afterEach, describe, expect, it } from 'vitest';
import { multiply, multiplyStack } from '../matrix-product.ts';
import { RandomStream } from '../random.ts';
import { Engine } from './engine.ts';

const engines: Engine[] = [];
const start = (options: ConstructorParameters<typeof Engine>[0]) => {
  const engine = new Engine(options);
  engines.push(engine);
  return engine;
};
afterEach(async () => {
  delete process.env.F3_THREADS;
  await Promise.all(engines.splice(0).map((engine) => engine.dispose()));
});

function product(engine: Engine): Float32Array {
  const [m, n, k] = [300, 70, 90];
  const random = new RandomStream(3, 0);
  const [a, b, c] = [engine.buffer([m, k]), engine.buffer([k, n]), engine.buffer([m, n])];
  random.fillUniform(a.data, -1, 1);
  random.fillUniform(b.data, -1, 1);
  multiply(engine, {
    m,
    n,
    k,
    a: { at: a.address, row: k },
    b: { at: b.address, row: n },
    c: { at: c.address, row: n },
  });
  return c.data.slice();
}

describe('engine', () => {
  it('gives the same bits on 1, 2 and 5 threads, launch after launch', () => {
    const wanted = product(start({ threads: 1 }));
    for (const threads of [2, 5]) {
      const engine = start({ threads });
      for (let i = 0; i < 50; i++) expect(product(engine)).toEqual(wanted);
    }
  });

  it('runs every task exactly once, however many there are', () => {
    const engine = start({ threads: 4 });
    for (const tasks of [0, 1, 2, 3, 7, 1000, 65_535]) {
      const [one, sums] = [engine.buffer([1], [1]), engine.buffer([Math.max(1, tasks)])];
      // Task t adds 1·1 to number t, so a task that ran twice or not at all would show.
      const [rows, total] = [
        { at: one.address, row: 0 },
        { at: sums.address, row: 1, stack: 1 },
      ];
      multiplyStack(engine, tasks, { m: 1, n: 1, k: 1, a: rows, b: rows, c: total, from: 'itself' });
      expect([...sums.data].every((sum) => sum === (tasks === 0 ? 0 : 1))).toBe(true);
    }
  });

  it('refuses more tasks than a launch can number', () => {
    expect(() => start({ threads: 2 }).run('sumRows', 65_536, 1, 1, 1, 0, 0)).toThrow(
      'sumRows: must have at most 65535 tasks, got 65536',
    );
  });

  it('reports a kernel that traps on another thread or this one', () => {
    const beyond = 2 ** 32 - 64;
    for (const threads of [1, 3]) {
      const engine = start({ threads });
      const trap = () => engine.run('sumRows', 50, 1, 50, 1, beyond, beyond);
      expect(trap).toThrow(/^sumRows: /);
      expect(trap).toThrow(expect.objectContaining({ code: 'F3_KERNEL' }));
      expect(product(engine)).toEqual(product(start({ threads: 1 })));
    }
  });

  it('takes the number of threads from F3_THREADS', () => {
    process.env.F3_THREADS = '3';
    expect(start({}).threads.count).toBe(3);
    process.env.F3_THREADS = 'many';
    expect(() => new Engine()).toThrow('threads: must be an integer from 1 to 256, got NaN');
  });

  it('refuses values that do not fill their shape', () => {
    expect(() => start({ threads: 1 }).buffer([2, 3], [1, 2])).toThrow(
      expect.objectContaining({ code: 'F3_SHAPE', message: 'tensor: [2, 3] must hold 6 numbers, got 2' }),
    );
  });

  it('loads either build of the kernels', () => {
    expect(start({ threads: 1, build: 'simd' }).build).toBe('simd');
    expect(start({ threads: 1, build: 'relaxed' }).build).toBe('relaxed');
  });

  it('refuses work after it was disposed of', async () => {
    const engine = new Engine({ threads: 2 });
    await engine.dispose();
    expect(() => engine.run('sumRows', 1, 1, 1, 1, 0, 0)).toThrow(
      expect.objectContaining({ code: 'F3_DISPOSED', message: 'sumRows: the engine must not be used after dispose' }),
    );
  });
});
