// A canvas that is sharp on any screen and drawn anew when its size, the theme or what it shows changes.
import type { CanvasHTMLAttributes, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useTheme } from './theme.ts';

interface CanvasProps extends Omit<CanvasHTMLAttributes<HTMLCanvasElement>, 'ref' | 'width' | 'height' | 'style'> {
  /** In pixels of the page. */
  width: number;
  height: number;
  draw(context: CanvasRenderingContext2D): void;
  /** What the drawing depends on, beside size and theme. */
  shows: readonly unknown[];
  /** What is seen there, for those who do not see it. */
  'aria-label': string;
}

export function Canvas({ width, height, draw, shows, ...attributes }: CanvasProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const scale = devicePixelRatio || 1;
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context);
  }, [width, height, theme, scale, ...shows]);
  return (
    <canvas
      {...attributes}
      ref={canvas}
      role="img"
      width={width * scale}
      height={height * scale}
      style={{ width: `${width}px`, height: `${height}px` }}
    />
  );
}
