// What `f3 owner status` says about an owner's own protection: noise and its budget, pseudonyms. All of it stands on this machine.
import { membershipFolder } from '../../exchange/identity/home.ts';
import type { SpentBudget } from '../../privacy/noise/privacy-budget.ts';
import type { PseudonymousSender } from './pseudonym-options.ts';

interface OwnPrivacy {
  lines: [string, string | undefined][];
  facts: {
    noise: { clip: number; noise: number; maxEpsilon: number; delta: number } | null;
    spent: SpentBudget | null;
    pseudonyms: { url: string; publicKey: string } | null;
  };
}

export async function ownPrivacy({
  membership,
  home,
}: Pick<PseudonymousSender, 'membership' | 'home'>): Promise<OwnPrivacy> {
  const folder = membershipFolder(home, membership.federation, membership.url);
  const { noiseChoice } = await import('../../privacy/noise/noise-choice.ts');
  const { pseudonymChoice } = await import('../../privacy/pseudonyms/pseudonyms.ts');
  const { openBudget } = await import('../../privacy/noise/noisy-bundle.ts');
  const [choice, holder] = [noiseChoice(folder), pseudonymChoice(folder)];
  const spent = choice ? openBudget(folder).spent(choice.delta) : null;
  return {
    lines: [
      ['noise', choice && `${choice.noise} × clip ${choice.clip}`],
      ['privacy spent', choice && spent ? spentText(spent, choice.epsilon) : undefined],
      ['sample ids', holder && `pseudonyms by ${holder.url}`],
    ],
    facts: {
      noise: choice
        ? { clip: choice.clip, noise: choice.noise, maxEpsilon: choice.epsilon, delta: choice.delta }
        : null,
      spent,
      pseudonyms: holder ?? null,
    },
  };
}

function spentText({ epsilon, delta, samples, releases }: SpentBudget, most: number): string {
  if (releases === 0) return `nothing yet of ε ${most}`;
  return `ε ${epsilon.toPrecision(3)} of ${most} (δ ${delta}), ${samples} samples in ${releases} releases`;
}
