// Times and tables of the benches: medians over rounds in which ours and the peers take turns.

export interface Row {
  job: string;
  oursMs: number;
  peers: Record<string, number>;
  /** Time of PyTorch, written as the paper reads, over ours. */
  ratio?: number;
  /** Time of PyTorch, tuned as far as we could, over ours. */
  tunedRatio?: number;
  peakMb?: number;
  peersPeakMb?: Record<string, number>;
  /** Other figures, by name. */
  figures?: Record<string, number>;
  aim?: string;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

export function timed(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

export function table(rows: Row[]): string {
  if (rows.length === 0) return 'nothing was measured';
  const peers = [...new Set(rows.flatMap((row) => Object.keys(row.peers)))];
  const figures = ({ figures: found = {} }: Row) =>
    Object.entries(found)
      .map(([name, value]) => `${name} ${number(value)}`)
      .join(', ');
  const columns = [
    { head: 'job', cell: (row: Row) => row.job, isText: true },
    { head: 'ours ms', cell: (row: Row) => number(row.oursMs) },
    ...peers.map((peer) => ({ head: `${peer} ms`, cell: (row: Row) => number(row.peers[peer]) })),
    { head: '× PyTorch', cell: (row: Row) => number(row.ratio) },
    { head: '× tuned', cell: (row: Row) => number(row.tunedRatio) },
    { head: 'peak MB', cell: (row: Row) => number(row.peakMb) },
    { head: 'aim', cell: (row: Row) => row.aim ?? NOTHING, isText: true },
    { head: 'figures', cell: (row: Row) => figures(row) || NOTHING, isText: true },
  ]
    .map(({ head, cell, isText = false }) => ({ head, cells: rows.map(cell), isText }))
    .filter(({ cells }) => cells.some((text) => text !== NOTHING));
  const padded = columns.map(({ head, cells, isText }) => {
    const width = Math.max(...[head, ...cells].map((text) => text.length));
    const pad = (text: string) => (isText ? text.padEnd(width) : text.padStart(width));
    return [pad(head), '─'.repeat(width), ...cells.map(pad)];
  });
  return padded[0]
    .map((_, line) =>
      padded
        .map((column) => column[line])
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const NOTHING = '–';
const number = (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? NOTHING : value >= 100 ? value.toFixed(0) : value.toPrecision(3);
