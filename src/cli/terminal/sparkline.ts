// Draws a row of numbers as a row of block characters.

const BLOCKS = '▁▂▃▄▅▆▇█';

/** The blocks span the lowest to the highest value. More than `width` values are averaged in groups. */
export function sparkline(values: readonly number[], width = 30): string {
  const groups = Math.min(width, values.length);
  const means = Array.from({ length: groups }, (_, g) => {
    const start = Math.floor((g * values.length) / groups);
    const group = values.slice(start, Math.floor(((g + 1) * values.length) / groups));
    return group.reduce((sum, value) => sum + value, 0) / group.length;
  });
  const low = Math.min(...means);
  const range = Math.max(...means) - low;
  return means.map((mean) => BLOCKS[range === 0 ? 0 : Math.round(((mean - low) / range) * 7)]).join('');
}
