// Copies a text, and says so.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

export function CopyButton({ text, name = 'Copy' }: { text: string; name?: string }): JSX.Element {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      // Without TLS a browser may have no clipboard for pages; selecting is all that is left.
      setSaid('Select and copy it');
    }
    setTimeout(() => setSaid(''), 2000);
  };
  return (
    <>
      <button type="button" class="small" onClick={() => void copy()}>
        {said || name}
      </button>
      <span class="unseen" aria-live="polite">
        {said}
      </span>
    </>
  );
}

/** A command line to type, with a button that copies it. */
export function Command({ line }: { line: string }): JSX.Element {
  return (
    <span class="command">
      <code>{line}</code> <CopyButton text={line} />
    </span>
  );
}
