// All owners as one strip, a cell each: filled as far as its samples have labels, hollow while it has not sent.
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Overlap } from '../../../src/exchange/messages/overlap.ts';
import type { ListedOwner } from '../../../src/exchange/messages.ts';
import { Canvas } from '../../charts/canvas.tsx';
import { mixed, themeColour, themeText } from '../../charts/theme.ts';
import { useWidth } from '../../charts/use-width.ts';
import { counted, shownShare } from '../../words/numbers.ts';
import { type OwnerFacts, ownerFacts, ownerState, STATE_WORDS } from './owner-facts.ts';

const GAP = 2;

export function OwnerStrip({
  owners,
  overlap,
}: {
  owners: ListedOwner[];
  overlap: Overlap | undefined;
}): JSX.Element | null {
  const [box, width] = useWidth<HTMLDivElement>();
  const [read, setRead] = useState('');
  const facts = useMemo(() => ownerFacts(owners, overlap), [owners, overlap]);
  const size = cellSize(facts.length, width);
  const columns = Math.max(1, Math.floor((width + GAP) / (size + GAP)));
  const height = Math.ceil(facts.length / columns) * (size + GAP);
  const paint = (context: CanvasRenderingContext2D): void => {
    const [panel, full] = [themeColour('--panel'), themeColour('--c1')];
    facts.forEach((fact, at) => {
      const [x, y] = [(at % columns) * (size + GAP), Math.floor(at / columns) * (size + GAP)];
      if (fact.version === null) {
        context.strokeStyle = themeText('--c2');
        context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
      } else {
        context.fillStyle = mixed(panel, full, 0.25 + 0.75 * labelledShare(fact));
        context.fillRect(x, y, size, size);
      }
    });
  };
  if (facts.length === 0) return null;
  const move = (event: PointerEvent & { currentTarget: HTMLCanvasElement }): void => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const [x, y] = [
      Math.floor((event.clientX - left) / (size + GAP)),
      Math.floor((event.clientY - top) / (size + GAP)),
    ];
    const fact = facts[y * columns + x];
    setRead(fact && x < columns ? said(fact) : '');
  };
  const waiting = facts.filter(({ version }) => version === null).length;
  const label = `${counted(facts.length - waiting, 'owner')} sent, ${waiting} did not; the stronger the colour of a cell, the more of its samples have labels.`;
  return (
    <div class="strip" ref={box}>
      <Canvas
        width={width}
        height={height}
        draw={paint}
        shows={[facts]}
        aria-label={label}
        onPointerMove={move}
        onPointerLeave={() => setRead('')}
      />
      <p class="faint">{read || label}</p>
    </div>
  );
}

const labelledShare = ({ samples, labelled }: OwnerFacts): number =>
  labelled === null || !samples ? 0.6 : labelled / samples;

const said = (fact: OwnerFacts): string => {
  const share =
    fact.labelled !== null && fact.samples
      ? `, ${shownShare(fact.labelled / fact.samples)} of its samples labelled`
      : '';
  return `${fact.owner} ${STATE_WORDS[ownerState(fact)]}${share}`;
};

/** Cells are as large as fits into a few lines, from 4 to 18 pixels. */
function cellSize(count: number, width: number): number {
  const lines = count > 2000 ? 14 : count > 300 ? 6 : 2;
  return Math.max(4, Math.min(18, Math.floor(Math.sqrt((width * lines * 14) / Math.max(1, count))) - GAP));
}
