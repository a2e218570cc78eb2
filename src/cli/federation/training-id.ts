// Finds a training by its id, or by the beginning of the id as `f3 federation status` shows it.
import { F3Error } from '../../errors.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';

const WHOLE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const shortId = (id: string): string => id.slice(0, 8);

/** Returns the whole id; of old trainings it must be given whole. `option` is the flag that got the beginning. */
export async function wholeTrainingId(
  client: CoordinatorClient,
  federation: string,
  beginning: string,
  option: string,
): Promise<string> {
  if (WHOLE.test(beginning)) return beginning;
  const { trainings = [] } = await client.status(federation);
  const found = trainings.filter(({ id }) => beginning !== '' && id.startsWith(beginning));
  if (found.length === 1) return found[0].id;
  const got = found.length === 0 ? 'none' : `${found.length} of them`;
  throw new F3Error('F3_OPTION', `${option}: one training of ${federation} must begin with "${beginning}", got ${got}`);
}
