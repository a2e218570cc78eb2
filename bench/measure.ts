// Timing: medians over rounds in which ours and the peers take turns.

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
  /** What else was found, by name. */
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
  const peers = [...new Set(rows.flatMap((row) => Object.keys(row.peers)))];
  const head = [
    'job',
    'ours ms',
    ...peers.map((peer) => `${peer} ms`),
    '× PyTorch',
    '× tuned',
    'peak MB',
    'aim',
    'figures',
  ];
  const number = (value: number | undefined) =>
    value === undefined || Number.isNaN(value) ? '–' : value >= 100 ? value.toFixed(0) : value.toPrecision(3);
  const body = rows.map((row) => [
    row.job,
    number(row.oursMs),
    ...peers.map((peer) => number(row.peers[peer])),
    number(row.ratio),
    number(row.tunedRatio),
    number(row.peakMb),
    row.aim ?? '',
    Object.entries(row.figures ?? {})
      .map(([name, value]) => `${name} ${number(value)}`)
      .join(', '),
  ]);
  const widths = head.map((_, c) => Math.max(...[head, ...body].map((line) => line[c].length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, c) => (c === 0 || c >= head.length - 2 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...body.map(line)].join('\n');
}
