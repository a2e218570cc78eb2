// What a report says of the program and the machine that made it.
import { availableParallelism, cpus, platform, release } from 'node:os';
import { VERSION } from '../../base/version.ts';
import type { ReportFacts } from './report-names.ts';

export function machineFacts(): ReportFacts {
  return {
    version: VERSION,
    node: process.version,
    platform: `${platform()} ${release()}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    created: new Date(),
  };
}
