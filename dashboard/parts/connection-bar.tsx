// A bar that says when the coordinator is away and when it is asked again; read aloud by screen readers.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isAway, nextTry, tryNow } from '../coordinator/connection.ts';

export function ConnectionBar(): JSX.Element {
  const away = isAway.value;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [away]);
  const seconds = Math.max(0, Math.ceil((nextTry.value - now) / 1000));
  return (
    <div role="status" class={away ? 'away' : 'away hidden'} data-test="away">
      {away && (
        <>
          <strong>The coordinator does not answer.</strong> What you see is as it was.{' '}
          <span aria-hidden="true">{seconds > 0 ? `Next try in ${seconds} s.` : 'Trying now.'}</span>{' '}
          <button type="button" onClick={() => void tryNow()}>
            Try now
          </button>
        </>
      )}
    </div>
  );
}
