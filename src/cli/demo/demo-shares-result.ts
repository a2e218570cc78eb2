// The result of `f3 demo --on-shares`.
import type { ListedOpening } from '../../exchange/messages.ts';
import type { DemoEntity } from './demo-entities.ts';
import type { DemoReading } from './demo-readers.ts';
import type { DemoAnswer, DemoOwner, DemoRow } from './demo-result.ts';

export const ON_SHARES = 'F³ on shares';
export const IN_THE_CLEAR = 'the same model in the clear';

export interface DemoSharesResult {
  simulated: true;
  onShares: true;
  owners: number;
  samples: number;
  /** Samples in the test part. */
  tested: number;
  seed: number;
  classes: string[];
  rows: DemoRow[];
  /** Owners that were left out of the last predictions. */
  absent: string[];
  /** Events that owners sent live, in shares. */
  live: DemoAnswer[];
  training: { epochs: number; bestEpoch: number; seconds: number };
  /** Fingerprint of the charter. */
  charter: string;
  /** So many entities together learn nothing. */
  threshold: number;
  /** Everything that was ever opened, as the entities wrote it down. */
  ledger: ListedOpening[];
  reading: DemoReading;
  processes: {
    demo: number;
    coordinator: number;
    entities: DemoEntity[];
    owners: DemoOwner[];
    /** Milliseconds since 1970. */
    trainingStarted: number;
  };
  seconds: number;
}
