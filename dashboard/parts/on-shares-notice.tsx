// Says what cannot be had on shares, and why, in the place where it would stand.
import type { JSX } from 'preact';
import { Notice } from './notice.tsx';

/** `what`: "Confusion, curves and calibration are" */
export function OnSharesNotice({ what }: { what: string }): JSX.Element {
  return (
    <Notice title={`${what} not available on shares.`}>
      Embeddings and weights lie in shares with the entities, so the coordinator cannot try the model by itself. Scores
      come from the training; predictions with any owners left out can be asked for:{' '}
      <code>f3 federation predict --without</code>.
    </Notice>
  );
}
