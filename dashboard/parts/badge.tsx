// A word that says how something stands, in a colour that supports it and never stands alone for it.
import type { JSX } from 'preact';

export type Tone = 'plain' | 'good' | 'busy' | 'warn' | 'bad';

export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: string }): JSX.Element => (
  <span class={`badge ${tone}`}>{children}</span>
);

interface ShareBarProps {
  share: number;
  tone?: Tone;
  /** Its number, which stands beside it. Bars of a column stand in line, however long their numbers are. */
  children: string;
}

/** A bar that shows a share of something. */
export const ShareBar = ({ share, tone = 'plain', children }: ShareBarProps): JSX.Element => (
  <span class="shown-share">
    <span class={`share ${tone}`} aria-hidden="true">
      <span style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
    </span>
    <span class="beside">{children}</span>
  </span>
);
