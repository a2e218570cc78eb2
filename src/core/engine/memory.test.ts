import { describe, expect, it } from 'vitest';
import { CoreError } from '../errors.ts';
import { Arena } from './arena.ts';
import { Memory } from './memory.ts';

describe('memory', () => {
  it('grows as more is asked for and keeps what was written', () => {
    const memory = new Memory();
    const first = memory.allocate(1000);
    memory.floats(first, 250).fill(7);
    const before = memory.wasm.buffer.byteLength;
    const second = memory.allocate(64 << 20);
    expect(memory.wasm.buffer.byteLength).toBeGreaterThan(before);
    memory.floats(second, 16 << 20).fill(1);
    expect(memory.floats(first, 250).every((value) => value === 7)).toBe(true);
  });

  it('aligns blocks to 64 bytes and reuses freed ones of the same size', () => {
    const memory = new Memory();
    const a = memory.allocate(100);
    const b = memory.allocate(100);
    expect([a % 64, b % 64]).toEqual([0, 0]);
    memory.free(a, 100);
    expect(memory.allocate(100)).toBe(a);
    expect(memory.allocate(100)).not.toBe(b);
  });

  it('says how many bytes were asked for when it runs out', () => {
    const memory = new Memory(8 << 20);
    const error = (() => {
      try {
        memory.allocate(32 << 20);
      } catch (caught) {
        return caught as CoreError;
      }
    })();
    expect(error).toBeInstanceOf(CoreError);
    expect(error?.code).toBe('F3_OUT_OF_MEMORY');
    expect(error?.message).toMatch(/^memory: 33554432 bytes were asked for, \d+ of at most 8388608 are in use$/);
  });

  it('reaches 4 GiB and not further', () => {
    const memory = new Memory();
    const address = memory.allocate(3 * 2 ** 30);
    const high = memory.floats(address + 3 * 2 ** 30 - 64, 16);
    high[0] = 42;
    expect(memory.floats(address + 3 * 2 ** 30 - 64, 1)[0]).toBe(42);
    expect(() => memory.allocate(2 ** 30)).toThrow('memory: 1073741824 bytes were asked for');
  });
});

describe('arena', () => {
  it('hands out the same memory again after a reset, and never overlapping within a step', () => {
    const memory = new Memory();
    const arena = new Arena(memory);
    const step = () => {
      arena.reset();
      return [arena.allocate(100), arena.allocate(20 << 20), arena.allocate(100), arena.allocate(1)];
    };
    const first = step();
    const used = memory.used;
    expect(step()).toEqual(first);
    expect(memory.used).toBe(used);
    expect(new Set(first).size).toBe(4);
    expect(arena.peak).toBeGreaterThanOrEqual(20 << 20);
  });

  it('gives its memory back when disposed of', () => {
    const memory = new Memory();
    const arena = new Arena(memory);
    arena.allocate(1000);
    const used = memory.used;
    arena.dispose();
    new Arena(memory).allocate(1000);
    expect(memory.used).toBe(used);
  });
});
