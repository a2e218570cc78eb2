// [owner] Where buses lie and which lines join them: buses around towns, lines of the relative neighbourhood graph and
// the shortest of the Gabriel graph, impedances from length.
import type { RandomStream } from '../../../../core/random.ts';
import { between } from '../random-streams.ts';

export interface Bus {
  /** Kilometres. */
  x: number;
  y: number;
  /** Towns are the regions in which loads rise and fall together. */
  region: number;
}

export interface Line {
  from: number;
  to: number;
  km: number;
  circuits: number;
  /** Series impedance and total charging, per unit on 100 MVA. */
  r: number;
  x: number;
  charging: number;
}

export interface Topology {
  buses: Bus[];
  lines: Line[];
  regions: number;
}

/** An ordinary 345 kV line on 100 MVA (base impedance 1190 Ω): 0.037 + 0.37j Ω/km and 4.5 µS/km. */
const RESISTANCE_PER_KM = 0.037 / 1190;
const REACTANCE_PER_KM = 0.37 / 1190;
const CHARGING_PER_KM = 4.5e-6 * 1190;
/** Share of the charging that shunt reactors leave over. */
const UNCOMPENSATED = 0.15;
/** Length of a line's route over the distance between its ends, because lines wind. */
const DETOUR = 1.2;
const DOUBLE_CIRCUIT_SHARE = 0.25;
/** Square kilometres per bus. */
const AREA_PER_BUS = 12_000;
const BUSES_PER_REGION = 14;
const TOWN_RADIUS_KM = 95;
const IN_TOWN_SHARE = 0.65;
const MIN_SPACING_KM = 12;
/** Extra lines per bus beyond the relative neighbourhood graph, which alone leaves many radial ends. */
const EXTRA_LINES_PER_BUS = 0.2;

export function buildTopology(random: RandomStream, busCount: number): Topology {
  const width = Math.sqrt((busCount * AREA_PER_BUS) / 0.6);
  const height = 0.6 * width;
  const regions = Math.max(3, Math.round(busCount / BUSES_PER_REGION));
  const towns = Array.from({ length: regions }, () => [between(random, 0, width), between(random, 0, height)] as const);
  const buses: Bus[] = [];
  while (buses.length < busCount) {
    const [townX, townY] = towns[random.integer(regions)];
    const inTown = random.uniform() < IN_TOWN_SHARE;
    const x = inTown ? townX + TOWN_RADIUS_KM * random.normal() : between(random, 0, width);
    const y = inTown ? townY + TOWN_RADIUS_KM * random.normal() : between(random, 0, height);
    if (x < 0 || x > width || y < 0 || y > height) continue;
    if (buses.some((bus) => Math.hypot(bus.x - x, bus.y - y) < MIN_SPACING_KM)) continue;
    const distances = towns.map(([u, v]) => Math.hypot(u - x, v - y));
    buses.push({ x, y, region: distances.indexOf(Math.min(...distances)) });
  }
  return { buses, lines: joinBuses(random, buses), regions };
}

function joinBuses(random: RandomStream, buses: readonly Bus[]): Line[] {
  const distance = (i: number, j: number) => Math.hypot(buses[i].x - buses[j].x, buses[i].y - buses[j].y);
  const basic: [number, number][] = [];
  const extra: [number, number][] = [];
  for (let i = 0; i < buses.length; i++) {
    for (let j = i + 1; j < buses.length; j++) {
      const d = distance(i, j);
      let isRelativeNeighbour = true;
      let isGabriel = true;
      for (let k = 0; k < buses.length && isGabriel; k++) {
        if (k === i || k === j) continue;
        const [a, b] = [distance(i, k), distance(j, k)];
        if (a < d && b < d) isRelativeNeighbour = false;
        if (a * a + b * b < d * d) isGabriel = false;
      }
      if (isGabriel) (isRelativeNeighbour ? basic : extra).push([i, j]);
    }
  }
  extra.sort(([a, b], [c, d]) => distance(a, b) - distance(c, d));
  const pairs = [...basic, ...extra.slice(0, Math.round(EXTRA_LINES_PER_BUS * buses.length))];
  return pairs.map(([from, to]) => {
    const circuits = random.uniform() < DOUBLE_CIRCUIT_SHARE ? 2 : 1;
    return lineOf(from, to, DETOUR * distance(from, to), circuits);
  });
}

export function lineOf(from: number, to: number, km: number, circuits: number): Line {
  return {
    from,
    to,
    km,
    circuits,
    r: (RESISTANCE_PER_KM * km) / circuits,
    x: (REACTANCE_PER_KM * km) / circuits,
    charging: UNCOMPENSATED * CHARGING_PER_KM * km * circuits,
  };
}

/** [line]: whether the grid falls apart without it, found by taking each one out. */
export function bridges(buses: number, lines: readonly Line[]): boolean[] {
  const linesAt: number[][] = Array.from({ length: buses }, () => []);
  lines.forEach(({ from, to }, k) => {
    linesAt[from].push(k);
    linesAt[to].push(k);
  });
  return lines.map((_, removed) => {
    const reached = new Set([0]);
    const open = [0];
    for (let bus = open.pop(); bus !== undefined; bus = open.pop()) {
      for (const k of linesAt[bus]) {
        const other = lines[k].from === bus ? lines[k].to : lines[k].from;
        if (k === removed || reached.has(other)) continue;
        reached.add(other);
        open.push(other);
      }
    }
    return reached.size < buses;
  });
}
