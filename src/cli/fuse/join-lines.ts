// Describes the input of a fusion on stderr: which samples each owner saw, and warnings about bundles.
import type { JoinReport } from '../../facade/fuse.ts';

const SHOWN = 5;
/** An owner that saw less than this share of the samples cannot be aligned well. */
const FEW = 0.05;

/** Says which samples the owners saw. */
export function joinLines({ owners, samples, isComplete, unused }: JoinReport): string[] {
  const partial = owners.filter(({ joined }) => joined < samples).sort((a, b) => a.joined - b.joined);
  const lines = [`${owners.length} owners, ${samples} labelled samples`];
  if (isComplete) lines.push('every owner saw every sample');
  for (const { owner, joined } of partial.slice(0, SHOWN)) {
    const note = joined < FEW * samples ? ' (too few to align it well)' : '';
    lines.push(`  owner ${owner} saw ${joined} of ${samples} samples${note}`);
  }
  const few = partial.slice(SHOWN).filter(({ joined }) => joined < FEW * samples).length;
  if (partial.length > SHOWN) {
    const also = few > 0 ? `, ${few} of them too few` : '';
    lines.push(`  ${partial.length - SHOWN} more owners saw part of them${also}`);
  }
  const extra = owners.reduce((sum, { rows, joined }) => sum + rows - joined, 0);
  if (extra > 0) lines.push(`${extra} embeddings belong to samples without a label and are left out`);
  if (unused > 0) lines.push(`${unused} samples of the split have no label or no owner and are left out`);
  return lines;
}

/** Collects warnings about bundles and shows the first few. */
export class BundleWarnings {
  readonly #messages: string[] = [];

  readonly add = (message: string): void => {
    this.#messages.push(message);
  };

  lines(): string[] {
    const shown = this.#messages.slice(0, SHOWN).map((message) => `warning: ${message}`);
    const hidden = this.#messages.length - shown.length;
    return hidden > 0 ? [...shown, `warning: ${hidden} more (f3 bundle check shows them)`] : shown;
  }
}

export function printLines(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${line}\n`);
}
