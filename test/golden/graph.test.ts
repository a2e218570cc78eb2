// Sinkhorn, row entropy, κ-NN graph and normalisation against PyTorch's values and gradients (test/golden/make.py).
import { afterAll, describe, it } from 'vitest';
import { Engine } from '../../src/core/engine/engine.ts';
import { knnGraph } from '../../src/core/ops/knn-graph.ts';
import { rowEntropy } from '../../src/core/ops/row-entropy.ts';
import { sinkhorn } from '../../src/core/ops/sinkhorn.ts';
import { symmetricNormalise } from '../../src/core/ops/symmetric-normalise.ts';
import { Golden } from '../support/golden.ts';

const VALUE = 5e-6;
const GRADIENT = 5e-5;

describe('PyTorch', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it.each(['square', 'exp'] as const)('has the same Sinkhorn sweeps: %s', (parameterisation) => {
    const golden = new Golden(`sinkhorn_${parameterisation}`);
    const tape = engine.tape();
    const parameters = golden.parameters(engine);
    const result = sinkhorn(tape, parameters.free, { parameterisation });
    const entropy = rowEntropy(tape, result);
    golden.expectClose(result, 'result', VALUE);
    golden.expectClose(entropy, 'entropy', VALUE);
    result.gradient.set(golden.values('weights'));
    entropy.gradient[0] = 0.01;
    tape.replay();
    golden.expectGradients(parameters, GRADIENT);
    tape.dispose();
  });

  it('has the same κ-NN graph, normalised', () => {
    const golden = new Golden('knn');
    const tape = engine.tape();
    const parameters = golden.parameters(engine);
    const graph = knnGraph(tape, parameters.features, { neighbours: 4 });
    const normalised = symmetricNormalise(tape, graph, { skip: true });
    golden.expectClose(graph, 'graph', VALUE);
    golden.expectClose(normalised, 'normalised', VALUE);
    normalised.gradient.set(golden.values('weights'));
    tape.replay();
    golden.expectGradients(parameters, GRADIENT);
    tape.dispose();
  });
});
