// Every kernel the TypeScript side can call.
export * from './thread';
export * from './gemm';
export { edgeSlots, edgeQuantiles, edgeQuantilesBackward, sampleEdges, edgesToMatrix, edgesToMatrixBackward } from './edges';
export * from './sampled-convolution';
export * from './rearrange';
export { edgeKeys, uniformNoise } from './edge-noise';
export * from './peak';
export * from './weighted-mean';
export * from './symmetric-normalise';
export * from './sinkhorn';
export * from './row-entropy';
export * from './knn-graph';
export * from './optimizer';
