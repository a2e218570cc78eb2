// A section of a page: heading, optional remark and actions, content.
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface PanelProps {
  title: string;
  /** One sentence below the heading. */
  remark?: ComponentChildren;
  /** Buttons and choices beside the heading. */
  actions?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}

export function Panel({ title, remark, actions, children, class: kind = '' }: PanelProps): JSX.Element {
  const id = useId();
  return (
    <section class={`panel ${kind}`} aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {remark && <p class="remark">{remark}</p>}
      {children}
    </section>
  );
}

/** The heading of a page, with one line of facts below it. */
export function PageHead({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="page-head">
      <h1>{title}</h1>
      {children && <p class="lead">{children}</p>}
    </div>
  );
}

/** A few figures in a row, each with its name and a remark. */
export interface Fact {
  name: string;
  value: ComponentChildren;
  remark?: ComponentChildren;
}

export function Facts({ facts }: { facts: Fact[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(({ name, value, remark }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span class="value">{value}</span>
            {remark && <span class="about">{remark}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
