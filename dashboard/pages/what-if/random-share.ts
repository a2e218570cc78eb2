// A share of the owners by chance, the same for the same seed: a larger share keeps those of a smaller one.

/** Mixes the bits of a number (a finaliser of MurmurHash3). */
function mix(value: number): number {
  let x = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

export function drawn(owners: readonly string[], share: number, seed: number): string[] {
  const order = owners.map((owner, at) => [mix(mix(seed) + at), owner] as const).sort(([a], [b]) => a - b);
  // Somebody must be left.
  const count = Math.min(owners.length - 1, Math.round(share * owners.length));
  return order.slice(0, Math.max(0, count)).map(([, owner]) => owner);
}
