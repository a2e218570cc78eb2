// The colours in force, for canvases, which know no CSS variables; they change when the reader turns to dark or back.
import { useEffect, useState } from 'preact/hooks';

export type Rgb = [red: number, green: number, blue: number];

const dark = matchMedia('(prefers-color-scheme: dark)');

export const useTheme = (): 'light' | 'dark' => {
  const [isDark, setDark] = useState(dark.matches);
  useEffect(() => {
    const change = (): void => setDark(dark.matches);
    dark.addEventListener('change', change);
    return () => dark.removeEventListener('change', change);
  }, []);
  return isDark ? 'dark' : 'light';
};

/** The value of a CSS variable, such as `#2f5fd0`. */
export const themeText = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function themeColour(name: string): Rgb {
  const digits = themeText(name).slice(1);
  // The build writes #fff for #ffffff.
  const whole = digits.length < 6 ? digits.replaceAll(/./g, '$&$&') : digits;
  const hex = Number.parseInt(whole.slice(0, 6), 16);
  return [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255];
}

export const mixed = (from: Rgb, to: Rgb, share: number): string =>
  `#${from
    .map((part, c) =>
      Math.round(part + (to[c] - part) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
