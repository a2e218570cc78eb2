// All owners as dots, on the map or in rows: a click switches one, a line drawn around several switches all of them.
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Canvas } from '../../charts/canvas.tsx';
import { themeText } from '../../charts/theme.ts';
import { useWidth } from '../../charts/use-width.ts';
import { counted } from '../../words/numbers.ts';
import type { Place } from '../graph/positions.ts';

interface OwnerFieldProps {
  owners: string[];
  places: Place[] | undefined;
  absent: ReadonlySet<string>;
  onChange(names: string[], isOff: boolean): void;
}

const MARGIN = 12;
const MAP_HEIGHT = 320;
/** A line shorter than this is a click. */
const CLICK_PX = 6;

export function OwnerField({ owners, places, absent, onChange }: OwnerFieldProps): JSX.Element {
  const [box, width] = useWidth<HTMLDivElement>();
  // Pointers move faster than the page draws, so the line is kept beside what is shown of it.
  const drawing = useRef<Place[]>([]);
  const [line, setLine] = useState<Place[]>([]);
  const draw = (points: Place[]): void => {
    drawing.current = points;
    setLine(points);
  };
  const [read, setRead] = useState('');
  const { dots, height, radius } = useMemo(
    () => (places ? fitted(places, width) : inRows(owners.length, width)),
    [owners, places, width],
  );
  const paint = (context: CanvasRenderingContext2D): void => {
    const [on, off] = [themeText('--c1'), themeText('--beyond')];
    dots.forEach(([x, y], i) => {
      const isOff = absent.has(owners[i]);
      context.beginPath();
      context.arc(x, y, isOff ? radius * 0.72 : radius, 0, 2 * Math.PI);
      context.lineWidth = 1.5;
      if (isOff) {
        context.strokeStyle = off;
        context.stroke();
      } else {
        context.fillStyle = on;
        context.fill();
      }
    });
    if (line.length < 2) return;
    context.beginPath();
    for (const point of line) context.lineTo(...point);
    context.closePath();
    context.strokeStyle = themeText('--ink');
    context.setLineDash([4, 4]);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 0.08;
    context.fillStyle = themeText('--ink');
    context.fill();
    context.globalAlpha = 1;
  };
  const pointOf = (event: PointerEvent): Place => {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const nearest = ([x, y]: Place): number => {
    let [best, least] = [-1, (radius + 5) ** 2];
    dots.forEach(([dx, dy], i) => {
      const distance = (dx - x) ** 2 + (dy - y) ** 2;
      if (distance < least) [best, least] = [i, distance];
    });
    return best;
  };
  const end = (event: PointerEvent): void => {
    const drawn = [...drawing.current, pointOf(event)];
    draw([]);
    if (extentOf(drawn) < CLICK_PX) {
      const at = nearest(drawn[0]);
      if (at >= 0) onChange([owners[at]], !absent.has(owners[at]));
      return;
    }
    const inside = owners.filter((_, i) => isInside(dots[i], drawn));
    // Those who are all off already come back.
    onChange(
      inside,
      inside.some((owner) => !absent.has(owner)),
    );
  };
  return (
    <div class="owner-field" ref={box}>
      <Canvas
        data-test="field"
        width={width}
        height={height}
        draw={paint}
        shows={[dots, absent, line]}
        aria-label={`${counted(owners.length - absent.size, 'owner')} present as full dots, ${absent.size} absent as rings. The list below does the same by keyboard.`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          draw([pointOf(event)]);
        }}
        onPointerMove={(event) => {
          if (drawing.current.length > 0) return draw([...drawing.current, pointOf(event)]);
          const at = nearest(pointOf(event));
          setRead(at < 0 ? '' : `${owners[at]}, ${absent.has(owners[at]) ? 'absent' : 'present'}`);
        }}
        onPointerUp={end}
        onPointerCancel={() => draw([])}
        onPointerLeave={() => setRead('')}
      />
      <p class="faint">{read || 'Full dots are present, rings are absent.'}</p>
    </div>
  );
}

interface Field {
  dots: Place[];
  height: number;
  radius: number;
}

function inRows(count: number, width: number): Field {
  const cell = Math.max(5, Math.min(44, Math.sqrt(((width - 2 * MARGIN) * 200) / Math.max(1, count))));
  const columns = Math.max(1, Math.floor((width - 2 * MARGIN) / cell));
  const dots = Array.from(
    { length: count },
    (_, i): Place => [MARGIN + ((i % columns) + 0.5) * cell, MARGIN + (Math.floor(i / columns) + 0.5) * cell],
  );
  return { dots, height: 2 * MARGIN + Math.ceil(count / columns) * cell, radius: cell * 0.36 };
}

function fitted(places: Place[], width: number): Field {
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of places) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [bottom, top] = [Math.min(bottom, y), Math.max(top, y)];
  }
  const room = (full: number, span: number): number => (full - 2 * MARGIN) / Math.max(1e-9, span);
  const scale = Math.min(room(width, right - left), room(MAP_HEIGHT, top - bottom));
  const dots = places.map(
    ([x, y]): Place => [
      width / 2 + (x - (left + right) / 2) * scale,
      MAP_HEIGHT / 2 - (y - (bottom + top) / 2) * scale,
    ],
  );
  return { dots, height: MAP_HEIGHT, radius: places.length > 2000 ? 2 : places.length > 300 ? 3.5 : 6 };
}

function extentOf(line: Place[]): number {
  const [[x0, y0]] = line;
  return Math.max(...line.map(([x, y]) => Math.hypot(x - x0, y - y0)));
}

/** Whether a point lies inside a closed line: a ray from it crosses the line an odd number of times. */
function isInside([x, y]: Place, line: Place[]): boolean {
  let inside = false;
  for (let i = 0, j = line.length - 1; i < line.length; j = i++) {
    const [[xi, yi], [xj, yj]] = [line[i], line[j]];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}
