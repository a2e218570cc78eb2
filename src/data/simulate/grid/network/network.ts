// [owner] The grid's admittances: every line is a two-port, every bus a shunt. A fault or a switching edits a few of
// them.
//
// Units: per unit on 100 MVA and the line's rated voltage. Currents leaving the ends of line k into it:
//   I_a = aa_k·V_a + ab_k·V_b,   I_b = ab_k·V_a + bb_k·V_b
import { type Complex, inverse, multiply, subtract } from './complex.ts';
import type { Line } from './grid-topology.ts';

export class Network {
  readonly lines: readonly Line[];
  /** [line, re/im] */
  readonly aa: Float64Array;
  readonly ab: Float64Array;
  readonly bb: Float64Array;
  /** [bus, re/im] */
  readonly shunt: Float64Array;

  private constructor(
    lines: readonly Line[],
    aa: Float64Array,
    ab: Float64Array,
    bb: Float64Array,
    shunt: Float64Array,
  ) {
    this.lines = lines;
    this.aa = aa;
    this.ab = ab;
    this.bb = bb;
    this.shunt = shunt;
  }

  /** All lines in service, no shunts. */
  static of(lines: readonly Line[], buses: number): Network {
    const numbers = () => new Float64Array(2 * lines.length);
    const network = new Network(lines, numbers(), numbers(), numbers(), new Float64Array(2 * buses));
    for (let k = 0; k < lines.length; k++) network.closeLine(k);
    return network;
  }

  copy(): Network {
    return new Network(this.lines, this.aa.slice(), this.ab.slice(), this.bb.slice(), this.shunt.slice());
  }

  /** Puts a line in service as a π model: series admittance y = 1/(r + jx), half the charging at each end. */
  closeLine(k: number): void {
    const { r, x, charging } = this.lines[k];
    const norm = r * r + x * x;
    this.#setLine(k, [r / norm, -x / norm + charging / 2], [-r / norm, x / norm], [r / norm, -x / norm + charging / 2]);
  }

  openLine(k: number): void {
    this.#setLine(k, [0, 0], [0, 0], [0, 0]);
  }

  addShunt(bus: number, re: number, im: number): void {
    this.shunt[2 * bus] += re;
    this.shunt[2 * bus + 1] += im;
  }

  /**
   * Puts a fault of admittance `shunt` on line k, at `fraction` of its length from end a. The line becomes two π
   * sections that meet in a node m; eliminating m leaves a two-port again:
   *   aa = y₁ + jb₁/2 − y₁²/y_m,  ab = −y₁y₂/y_m,  bb = y₂ + jb₂/2 − y₂²/y_m,  y_m = y₁ + y₂ + jb/2 + y_fault
   */
  faultLine(k: number, fraction: number, shunt: Complex): void {
    const { charging } = this.lines[k];
    const { first: y1, second: y2, nodeInverse } = sectionsOf(this.lines[k], fraction, shunt);
    const aa = subtract([y1[0], y1[1] + (fraction * charging) / 2], multiply(multiply(y1, y1), nodeInverse));
    const bb = subtract([y2[0], y2[1] + ((1 - fraction) * charging) / 2], multiply(multiply(y2, y2), nodeInverse));
    const ab = subtract([0, 0], multiply(multiply(y1, y2), nodeInverse));
    this.#setLine(k, aa, ab, bb);
  }

  /** [bus, re/im]: the diagonal of the admittance matrix; its other entries are `ab`. */
  diagonal(): Float64Array {
    const diagonal = this.shunt.slice();
    for (let k = 0; k < this.lines.length; k++) {
      const { from, to } = this.lines[k];
      for (const part of [0, 1]) {
        diagonal[2 * from + part] += this.aa[2 * k + part];
        diagonal[2 * to + part] += this.bb[2 * k + part];
      }
    }
    return diagonal;
  }

  #setLine(k: number, aa: Complex, ab: Complex, bb: Complex): void {
    this.aa.set(aa, 2 * k);
    this.ab.set(ab, 2 * k);
    this.bb.set(bb, 2 * k);
  }
}

/** The two sections of a line cut at `fraction`, and 1/y_m of the node between them with a shunt to ground. */
export function sectionsOf(
  line: Line,
  fraction: number,
  shunt: Complex,
): { first: Complex; second: Complex; nodeInverse: Complex } {
  const first = inverse([fraction * line.r, fraction * line.x]);
  const second = inverse([(1 - fraction) * line.r, (1 - fraction) * line.x]);
  const node: Complex = [first[0] + second[0] + shunt[0], first[1] + second[1] + line.charging / 2 + shunt[1]];
  return { first, second, nodeInverse: inverse(node) };
}
