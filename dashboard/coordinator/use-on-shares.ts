// Whether a federation computes on shares: then the coordinator has neither embeddings nor weights, and some questions cannot be asked.
import type { FederationStatus } from '../../src/exchange/messages.ts';
import { inFederation } from './request.ts';
import { useLoaded } from './use-loaded.ts';

/** Undefined until the coordinator has said so. */
export function useOnShares(federation: string): boolean | undefined {
  const { data } = useLoaded<FederationStatus>(inFederation(federation));
  return data && typeof data.charter === 'string';
}
