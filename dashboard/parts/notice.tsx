// Says why there is nothing to see, and what to do next.
import type { ComponentChildren, JSX } from 'preact';
import type { Refusal } from '../coordinator/request.ts';
import type { Loaded } from '../coordinator/use-loaded.ts';

interface NoticeProps {
  title: string;
  children?: ComponentChildren;
  kind?: 'empty' | 'problem';
}

export function Notice({ title, children, kind = 'empty' }: NoticeProps): JSX.Element {
  return (
    <div class={`notice ${kind}`} role={kind === 'problem' ? 'alert' : undefined}>
      <p class="title">{title}</p>
      {children && <div class="next">{children}</div>}
    </div>
  );
}

/** What the coordinator said, and its code for those who look it up. */
export function RefusalNotice({ refusal, children }: { refusal: Refusal; children?: ComponentChildren }): JSX.Element {
  return (
    <Notice kind="problem" title={adviceOf(refusal) ?? 'The coordinator refused this.'}>
      <p>
        {refusal.message} <code>{refusal.code}</code>
      </p>
      {children}
    </Notice>
  );
}

function adviceOf({ code, status }: Refusal): string | undefined {
  if (code === 'F3_FEDERATION_UNKNOWN') return 'There is no such federation here. Choose one from the list.';
  if (code === 'F3_MODEL_UNKNOWN') return 'There is no such model. Choose another.';
  if (code === 'F3_AUTH_FORBIDDEN') return 'Your role may not see this.';
  if (code === 'F3_RATE_LIMIT') return 'Too many requests: wait a minute, then reload.';
  if (code === 'F3_BUSY') return 'The coordinator has much to do: try again in a few seconds.';
  return status >= 500 ? 'The coordinator failed. Its log says why.' : undefined;
}

interface WhenLoadedProps<T> {
  loaded: Loaded<T>;
  /** What is being loaded, for the words that stand there meanwhile. */
  what: string;
  children(data: T): ComponentChildren;
}

/** Shows the answer, or the refusal, or words while there is neither. */
export function WhenLoaded<T>({ loaded, what, children }: WhenLoadedProps<T>): JSX.Element {
  const { data, refusal } = loaded;
  if (data !== undefined) return <>{children(data)}</>;
  if (refusal) {
    return (
      <RefusalNotice refusal={refusal}>
        <button type="button" onClick={loaded.reload}>
          Try again
        </button>
      </RefusalNotice>
    );
  }
  return <p class="loading">Loading {what} …</p>;
}
