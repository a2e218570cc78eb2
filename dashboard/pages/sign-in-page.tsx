// Before there is a session: how to get in, and why a code or a session no longer does.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Command } from '../parts/copy-button.tsx';
import type { Absence } from '../session.ts';

/** What is said while it is not known whether there is a session; not at once, since it takes milliseconds as a rule. */
const QUIET_MS = 400;

export function SignInPage({ absence }: { absence: Absence }): JSX.Element {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  if (absence.state === 'starting') {
    return <main class="sign-in">{isSlow && <p class="loading">Asking the coordinator who you are …</p>}</main>;
  }
  return (
    <main class="sign-in">
      <svg viewBox="0 0 32 32" aria-hidden="true" class="logo">
        <path d="M8 9 16 22 24 9Z" />
        <circle cx="8" cy="9" r="4" />
        <circle cx="24" cy="9" r="4" />
        <circle class="fused" cx="16" cy="23" r="5" />
      </svg>
      <h1>{HEADINGS[absence.state]}</h1>
      <Reason absence={absence} />
      <p>
        This page has no passwords. Whoever holds a key of this coordinator asks for a link, which is good once and for
        ten minutes:
      </p>
      <p>
        <Command line="f3 dashboard" />
      </p>
      <p class="faint">
        Operators and label holders see their federation; owners see their own entry. <code>f3 serve</code> prints a
        first link when it starts.
      </p>
    </main>
  );
}

const HEADINGS: Record<Exclude<Absence['state'], 'starting'>, string> = {
  none: 'Ask for a link to come in',
  refused: 'This link does not open the page',
  ended: 'Your session has ended',
};

function Reason({ absence }: { absence: Absence }): JSX.Element | null {
  if (absence.state === 'refused') {
    const { message, code } = absence.refusal;
    return (
      <p role="alert">
        Its code was used before, has expired, or was never given out: {message}. <code>{code}</code>
      </p>
    );
  }
  if (absence.state === 'ended') {
    return (
      <p role="alert">
        It was idle for too long, reached its longest life, or was revoked. Nothing that you started is lost: trainings
        go on.
      </p>
    );
  }
  return null;
}
