// A training step of the whole model against PyTorch in float64: logits, loss and every gradient (test/golden/make.py).
import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/core/engine/engine.ts';
import { softmaxCrossEntropy } from '../../src/core/ops/softmax-cross-entropy.ts';
import { paperPreset } from '../../src/fuse/fusion-config.ts';
import { GlobalModel } from '../../src/fuse/model/global-model.ts';
import { Golden } from '../support/golden.ts';

const engine = new Engine({ threads: 2 });
afterAll(() => engine.dispose());

describe.each(['batch', 'example'] as const)('PyTorch gives the same training step, one graph per %s', (graphsPer) => {
  const golden = new Golden(`gcn_${graphsPer}`);
  const [, owners, width] = golden.shape('x');
  const [hidden, classes] = golden.shape('W1');
  const model = new GlobalModel(engine, { ...paperPreset, graphsPer, hidden }, { owners, width, classes });
  for (const [name, tensor] of Object.entries(model.parameters)) tensor.data.set(golden.values(name));
  const tape = engine.tape();
  const embeddings = tape.constant(golden.shape('x'), golden.values('x'));
  const { logits } = model.forward(tape, { embeddings }, { seed: 5, step: 3 });
  const loss = softmaxCrossEntropy(tape, logits, golden.values('labels'));
  tape.backward(loss);

  it('logits and loss', () => {
    golden.expectClose(logits, 'logits', 1e-5);
    expect(loss.item()).toBeCloseTo(golden.values('loss')[0], 5);
  });

  it('every gradient', () => golden.expectGradients(model.parameters, 1e-4));
});
