// Groups of owners that are tied more closely within: each takes the group to which most of its weight leads, again and again.

const SWEEPS = 8;

/** The group of each owner, numbered by size from 0; `edges` are two owners and a weight. */
export function communities(owners: number, edges: readonly (readonly [number, number, number])[]): number[] {
  const neighbours: [number, number][][] = Array.from({ length: owners }, () => []);
  for (const [from, to, weight] of edges) {
    neighbours[from].push([to, weight]);
    neighbours[to].push([from, weight]);
  }
  const group = Array.from({ length: owners }, (_, i) => i);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0;
    for (let i = 0; i < owners; i++) {
      const best = heaviest(neighbours[i], group) ?? group[i];
      if (best !== group[i]) moved++;
      group[i] = best;
    }
    if (moved === 0) break;
  }
  const sizes = new Map<number, number>();
  for (const one of group) sizes.set(one, (sizes.get(one) ?? 0) + 1);
  const order = [...sizes].sort(([a, m], [b, n]) => n - m || a - b).map(([one]) => one);
  const rank = new Map(order.map((one, at) => [one, at]));
  return group.map((one) => rank.get(one) ?? 0);
}

function heaviest(ties: [number, number][], group: number[]): number | undefined {
  const weights = new Map<number, number>();
  for (const [other, weight] of ties) weights.set(group[other], (weights.get(group[other]) ?? 0) + weight);
  let best: number | undefined;
  for (const [one, weight] of weights) {
    const most = best === undefined ? -1 : (weights.get(best) ?? 0);
    if (weight > most || (weight === most && one < (best ?? 0))) best = one;
  }
  return best;
}
