// [owner] Line fault: a short circuit somewhere on a line, cleared by opening it; most lines are closed again.
import type { RandomStream } from '../../../../core/random.ts';
import { add, at, type Complex, multiply, scale } from '../network/complex.ts';
import type { Line } from '../network/grid-topology.ts';
import type { KronReduction } from '../network/kron-reduction.ts';
import { sectionsOf } from '../network/network.ts';
import { between } from '../random-streams.ts';
import { cycles } from '../time-steps.ts';
import { allInService, type EventScene, type GridEvent, type Switching } from './events.ts';
import { drawFault } from './fault.ts';

const RECLOSING_SHARE = 0.7;
const DEAD_TIME_CYCLES = [20, 45] as const;

export function drawLineFault(random: RandomStream, { grid, state, kron }: EventScene): GridEvent {
  const k = random.integer(grid.lines.length);
  const line = grid.lines[k];
  const fraction = between(random, 0.03, 0.97);
  const { type, admittance, clearing } = drawFault(random, faultPointImpedance(kron, line, fraction));
  const recloses = random.uniform() < RECLOSING_SHARE;
  const deadTime = cycles(between(random, ...DEAD_TIME_CYCLES));

  const inService = allInService(grid);
  const faulted = state.network.copy();
  faulted.faultLine(k, fraction, admittance);
  const switchings: Switching[] = [{ step: 0, network: faulted, inService }];
  if (grid.isBridge[k]) {
    // A line without which the grid falls apart is opened pole by pole: the rest of it keeps carrying.
    switchings.push({ step: clearing, network: state.network, inService });
  } else {
    const opened = state.network.copy();
    opened.openLine(k);
    switchings.push({ step: clearing, network: opened, inService });
    if (recloses) switchings.push({ step: clearing + deadTime, network: state.network, inService });
  }
  return { bus: fraction < 0.5 ? line.from : line.to, detail: { line: k, fraction, type, clearing }, switchings };
}

/** The grid's impedance as seen from a point on a line: 1/y_m + cᵀ·Z·c over the line's ends, with c = y/y_m. */
export function faultPointImpedance(kron: KronReduction, line: Line, fraction: number): Complex {
  const { first, second, nodeInverse } = sectionsOf(line, fraction, [0, 0]);
  const a = multiply(first, nodeInverse);
  const b = multiply(second, nodeInverse);
  const column = kron.impedanceColumn(line.from);
  const zaa = at(column, line.from);
  const zab = at(column, line.to);
  const zbb = at(kron.impedanceColumn(line.to), line.to);
  const own = add(multiply(multiply(a, a), zaa), multiply(multiply(b, b), zbb));
  return add(nodeInverse, add(own, scale(multiply(multiply(a, b), zab), 2)));
}
