import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/graph-convolution.ts';
import { graphConvolution } from './graph-convolution.ts';

checkOp('graph convolution with one graph for the batch', {
  inputs: { graph: { shape: [13, 13] }, x: { shape: [6, 13, 5] } },
  op: (tape, { graph, x }) => graphConvolution(tape, graph, x),
  reference: ({ graph, x }) => reference.graphConvolution(graph, x, 13, 5, true),
});

checkOp('graph convolution with one graph per example', {
  inputs: { graph: { shape: [3, 9, 9] }, x: { shape: [3, 9, 8] } },
  op: (tape, { graph, x }) => graphConvolution(tape, graph, x),
  reference: ({ graph, x }) => reference.graphConvolution(graph, x, 9, 8, false),
});

describe('graph convolution refuses', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('a graph of another size than the owners', () => {
    const x = engine.buffer([2, 5, 3]);
    expect(() => graphConvolution(engine.tape(), engine.buffer([4, 4]), x)).toThrow(
      'graph convolution graph: shape must be [5, 5], got [4, 4]',
    );
  });

  it('one graph too few', () => {
    const x = engine.buffer([2, 5, 3]);
    expect(() => graphConvolution(engine.tape(), engine.buffer([1, 5, 5]), x)).toThrow(
      'graph convolution graph: shape must be [2, 5, 5], got [1, 5, 5]',
    );
  });
});
