// [coordinator] The coordinator as a package entry: what `f3 serve` and `f3 worker` start, in a program of your own.
export * from '../errors.ts';
export type { QuotaName, Quotas } from '../exchange/quotas.ts';
export type { AppOptions } from './app.ts';
export type { LogOptions } from './http/log-options.ts';
export type { ServerLimits } from './server-limits.ts';
export { type RunningServer, type ServerOptions, startServer } from './start-server.ts';
export { type RunningWorker, startTrainingWorker, type TrainingWorkerOptions } from './start-training-worker.ts';
