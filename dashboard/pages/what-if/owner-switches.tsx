// Owners by name, with a switch each: the way for keyboards and screen readers, and for names one knows.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../../words/numbers.ts';

interface OwnerSwitchesProps {
  owners: string[];
  absent: ReadonlySet<string>;
  onChange(names: string[], isOff: boolean): void;
}

const MOST_SHOWN = 60;

export function OwnerSwitches({ owners, absent, onChange }: OwnerSwitchesProps): JSX.Element {
  const [wanted, setWanted] = useState('');
  const found = wanted ? owners.filter((owner) => owner.toLowerCase().includes(wanted.toLowerCase())) : owners;
  return (
    <details class="switches">
      <summary>Owners by name</summary>
      <label class="search">
        <span>Find</span>
        <input type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
      </label>
      <ul>
        {found.slice(0, MOST_SHOWN).map((owner) => (
          <li key={owner}>
            <label>
              <input
                type="checkbox"
                checked={!absent.has(owner)}
                onChange={(event) => onChange([owner], !event.currentTarget.checked)}
              />{' '}
              {owner}
            </label>
          </li>
        ))}
      </ul>
      {found.length > MOST_SHOWN && (
        <p class="faint">and {counted(found.length - MOST_SHOWN, 'other')}: type a part of the name.</p>
      )}
    </details>
  );
}
