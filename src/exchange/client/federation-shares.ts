// [wire] Asks a coordinator about a federation on shares.
import type { FederationShares } from '../messages.ts';
import type { CoordinatorClient } from './coordinator-client.ts';
import { readAnswer } from './read-answer.ts';

/** The charter; for owners also what they need to send shares. With `check`, for operators, how entities stand and what was opened. */
export async function federationShares(
  client: CoordinatorClient,
  federation: string,
  { check = false } = {},
): Promise<FederationShares> {
  const path = `/v1/federations/${encodeURIComponent(federation)}/shares${check ? '?check=yes' : ''}`;
  const answer = await client.connection.json('GET', path);
  return readAnswer(answer, { fingerprint: 'text', charter: 'group of fields' }, 'the question for the charter');
}
