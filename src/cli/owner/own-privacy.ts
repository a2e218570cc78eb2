// What `f3 owner status` says about an owner's own protection: noise and its budget, pseudonyms. All of it stands on this machine.
import { membershipFolder } from '../../exchange/identity/home.ts';
import type { SpentBudget } from '../../privacy/noise/privacy-budget.ts';
import type { SentWithoutNoise } from '../../privacy/noise/without-noise.ts';
import { shownTime } from '../terminal/shown-time.ts';
import type { PseudonymousSender } from './pseudonym-options.ts';

interface OwnPrivacy {
  lines: [string, string | undefined][];
  facts: {
    noise: { clip: number; noise: number; maxEpsilon: number; delta: number } | null;
    spent: SpentBudget | null;
    /** When embeddings left without noise; null: never, so far as this home knows. */
    withoutNoise: SentWithoutNoise | null;
    /** The largest share of the readings' variance that may be recovered; null: no limit was set. */
    maxRecovery: number | null;
    pseudonyms: { url: string; publicKey: string } | null;
  };
}

export async function ownPrivacy({
  membership,
  home,
}: Pick<PseudonymousSender, 'membership' | 'home'>): Promise<OwnPrivacy> {
  const { ownerFolder } = await import('../../privacy/owner-folder.ts');
  const folder = ownerFolder(home, membership);
  const joined = membershipFolder(home, membership.federation, membership.url);
  const { noiseChoice } = await import('../../privacy/noise/noise-choice.ts');
  const { pseudonymChoice } = await import('../../privacy/pseudonyms/pseudonyms.ts');
  const { openBudget } = await import('../../privacy/noise/noisy-bundle.ts');
  const { auditData, recoveryLimit } = await import('../../privacy/audit/recovery-limit.ts');
  const { sentWithoutNoise } = await import('../../privacy/noise/without-noise.ts');
  const [choice, holder] = [noiseChoice(folder), pseudonymChoice(joined)];
  const [limit, audited] = [recoveryLimit(folder), auditData(folder)];
  const plain = sentWithoutNoise(folder);
  const spent = choice ? openBudget(folder).spent(choice.delta) : null;
  return {
    lines: [
      ['gives away', limit === undefined ? undefined : limitText(limit, audited)],
      ['noise', choice && `${choice.noise} × clip ${choice.clip}`],
      ['privacy spent', choice && spent ? spentText(spent, choice.epsilon) : undefined],
      // Who has never asked for noise knows that there is none.
      ['without noise', choice && plain && plainText(plain)],
      ['sample ids', holder && `pseudonyms by ${holder.url}`],
    ],
    facts: {
      noise: choice
        ? { clip: choice.clip, noise: choice.noise, maxEpsilon: choice.epsilon, delta: choice.delta }
        : null,
      spent,
      withoutNoise: plain ?? null,
      maxRecovery: limit ?? null,
      pseudonyms: holder ?? null,
    },
  };
}

function spentText({ epsilon, delta, samples, releases }: SpentBudget, most: number): string {
  if (releases === 0) return `nothing yet of ε ${most}`;
  const times = releases === 1 ? 'once' : `in ${releases} releases`;
  return `ε ${epsilon.toPrecision(3)} of ${most} (δ ${delta}), ${samples} samples, ${times}`;
}

function plainText({ first, last }: SentWithoutNoise): string {
  const when = first === last ? shownTime(first) : `${shownTime(first)} to ${shownTime(last)}`;
  return `embeddings left as they are, too (${when}, UTC): no ε holds for their samples`;
}

function limitText(limit: number, audited: string | undefined): string {
  return `at most ${limit} of the readings' variance by its audit${audited === undefined ? '' : `, with ${audited}`}`;
}
