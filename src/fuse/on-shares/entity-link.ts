// [coordinator] What the coordinator needs to compute with entities: arithmetic, scheme, a way to reach them, the ledger.
import type { EntityCalls } from '../../shares/entity-calls.ts';
import type { Field } from '../../shares/field.ts';
import type { Ledger } from '../../shares/ledger.ts';
import type { Scheme } from '../../shares/scheme.ts';
import type { Transport } from '../../shares/transport.ts';

/** The coordinator's end of everything it does with the entities. */
export interface EntityLink {
  field: Field;
  scheme: Scheme;
  transport: Transport;
  ledger: Ledger;
  /** Commands to the entities that take part. */
  calls: EntityCalls;
}
