import { describe, expect, it } from 'vitest';
import { LiveShares } from './live-shares.ts';

const ticket = (number: number): string => number.toString(16).padStart(32, '0');

describe('live shares of an entity', () => {
  it('are read by their ticket, owner, width and codes', () => {
    const live = new LiveShares();
    const coding = 'c'.repeat(64);
    live.put({ ticket: ticket(1), coding }, 'plant', new Uint8Array(32));
    expect(live.read(ticket(1), { owner: 'plant', width: 2, coding })).toHaveLength(32);
    const refused = (expected: { owner: string; width: number; coding?: string }, code: string) =>
      expect(() => live.read(ticket(1), expected)).toThrow(expect.objectContaining({ code }));
    refused({ owner: 'other', width: 2, coding }, 'F3_SHARES_STORE');
    refused({ owner: 'plant', width: 2 }, 'F3_SHARES_CODES');
    refused({ owner: 'plant', width: 2, coding: 'd'.repeat(64) }, 'F3_SHARES_CODES');
    refused({ owner: 'plant', width: 3, coding }, 'F3_SHARES_BUNDLE');
  });

  it('make room for newer ones of the same owner, by number and by bytes', () => {
    const live = new LiveShares();
    const isKept = (number: number, owner: string, width: number) => {
      try {
        return live.read(ticket(number), { owner, width }).length > 0;
      } catch {
        return false;
      }
    };
    for (let i = 0; i < 1025; i++) live.put({ ticket: ticket(i) }, 'plant', new Uint8Array(16));
    expect([0, 1, 1024].map((i) => isKept(i, 'plant', 1))).toEqual([false, true, true]);
    const wide = 2 ** 20; // numbers, 16 MiB
    for (let i = 0; i < 5; i++) live.put({ ticket: ticket(2000 + i) }, 'wide', new Uint8Array(16 * wide));
    expect([2000, 2001, 2004].map((i) => isKept(i, 'wide', wide))).toEqual([false, true, true]);
    expect(isKept(1024, 'plant', 1)).toBe(true);
  });

  it('are forgotten after a while', () => {
    const live = new LiveShares();
    live.put({ ticket: ticket(1) }, 'plant', new Uint8Array(16), 0);
    live.put({ ticket: ticket(2) }, 'plant', new Uint8Array(16), 200_000);
    expect(() => live.read(ticket(1), { owner: 'plant', width: 1 })).toThrow('send the sample again');
  });
});
