// [coordinator] Which key and which address stand behind what is being done, for the audit log.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface AuditOrigin {
  /** Thumbprint of the key that signed the request, or id of its inference token. */
  keyId: string | null;
  address: string | null;
}

/** Set while a request is answered, so that no entry is written without it, whichever function writes it. */
export const auditOrigin = new AsyncLocalStorage<AuditOrigin>();

export const NO_ORIGIN: AuditOrigin = { keyId: null, address: null };
