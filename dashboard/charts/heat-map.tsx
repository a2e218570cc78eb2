// A matrix as a picture: alignments and overlaps. Drawn on a canvas, since it may have tens of thousands of cells.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { themeColour, useTheme } from './theme.ts';

interface HeatMapProps {
  /** What it shows, in a sentence for those who do not see it. */
  label: string;
  rows: number;
  columns: number;
  /** Row by row. */
  values: ArrayLike<number>;
  /** Diverging: negative numbers have a colour of their own. */
  isSigned?: boolean;
  /** What a cell says when the pointer is on it. */
  says(row: number, column: number, value: number): string;
}

export function HeatMap({ label, rows, columns, values, isSigned = false, says }: HeatMapProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [read, setRead] = useState('');
  const theme = useTheme();
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    let most = 1e-12;
    for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
    const image = context.createImageData(columns, rows);
    const [page, high, low] = ['--page', '--c1', '--c3'].map(themeColour);
    for (let i = 0; i < rows * columns; i++) {
      const share = Math.min(1, Math.abs(values[i]) / most) ** 0.75;
      const towards = isSigned && values[i] < 0 ? low : high;
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = page[c] + (towards[c] - page[c]) * share;
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
  }, [values, rows, columns, theme]);
  const move = (event: PointerEvent & { currentTarget: HTMLCanvasElement }): void => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const row = Math.min(rows - 1, Math.max(0, Math.floor(((event.clientY - top) / height) * rows)));
    const column = Math.min(columns - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * columns)));
    setRead(says(row, column, values[row * columns + column]));
  };
  return (
    <figure class="heat-map">
      <canvas
        ref={canvas}
        width={columns}
        height={rows}
        role="img"
        aria-label={label}
        style={{ aspectRatio: `${columns} / ${rows}` }}
        onPointerMove={move}
        onPointerLeave={() => setRead('')}
      />
      <figcaption>{read || label}</figcaption>
    </figure>
  );
}
