// A button whose act takes a while and may be refused: it is off meanwhile, and the refusal stands below it.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

interface ActButtonProps {
  children: ComponentChildren;
  act(): Promise<unknown>;
  /** With it the button asks first. */
  confirm?: string;
  class?: string;
  disabled?: boolean;
  /** What a screen reader says, where the text alone is not enough. */
  label?: string;
}

export function ActButton({ children, act, confirm, class: kind, disabled, label }: ActButtonProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState('');
  const run = async (): Promise<void> => {
    setAsking(false);
    setBusy(true);
    setProblem('');
    try {
      await act();
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  if (isAsking) {
    return (
      <span class="asking" role="group" aria-label={confirm}>
        <span>{confirm}</span>{' '}
        <button type="button" class="danger" onClick={() => void run()}>
          Yes
        </button>{' '}
        <button type="button" onClick={() => setAsking(false)}>
          No
        </button>
      </span>
    );
  }
  return (
    <>
      <button
        type="button"
        class={kind}
        disabled={isBusy || disabled}
        aria-label={label}
        onClick={() => (confirm ? setAsking(true) : void run())}
      >
        {isBusy ? 'Working …' : children}
      </button>
      {problem && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
