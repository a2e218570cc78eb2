// A word that says how something stands, in a colour that supports it and never stands alone for it.
import type { JSX } from 'preact';

export type Tone = 'plain' | 'good' | 'busy' | 'warn' | 'bad';

export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: string }): JSX.Element => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** A bar that shows a share of something; its number stands beside it. */
export const ShareBar = ({ share, tone = 'plain' }: { share: number; tone?: Tone }): JSX.Element => (
  <span class={`share ${tone}`} aria-hidden="true">
    <span style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
  </span>
);
