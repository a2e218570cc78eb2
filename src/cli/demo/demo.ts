// `f3 demo`: the whole of f3 on this machine, with simulated owners as processes of their own.
import { Command } from 'commander';
import { integerFrom } from '../option-values.ts';
import type { DemoOptions } from './demo-run.ts';

export function demoCommand(): Command {
  return new Command('demo')
    .description('a simulated federation on this machine: owners train alone, push once, and are fused')
    .option('--owners <n>', 'owners (default: 43; on shares 12)', integerFrom(4, 500))
    .option('--samples <m>', 'events of the simulated grid (default: 2000; on shares 800)', integerFrom(100, 20_000))
    .option('--on-shares', 'with three entities that hold the embeddings in shares; says who could have read what')
    .option('--seed <n>', 'of grid, models and who is absent', integerFrom(0), 1)
    .option('--out <dir>', 'folder for the report', 'f3-demo')
    .option('--keep', 'keep the data, keys, bundles and the coordinator’s folder')
    .option('--no-open', 'do not open the dashboard in this machine’s browser; the link is printed all the same')
    .option('--stay', 'keep the dashboard up until Ctrl-C (default: where a person sits at the terminal)')
    .option('--no-stay', 'end when the report is written')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
A coordinator (f3 serve) and every owner are processes of their own that talk over loopback. An owner joins with a one-time
code, trains on its own windows, sends its bundle once and ends. The coordinator then learns mean pooling and F³, three fits
each; some owners come back to predict live, 30 % stay away. The grid is simulated (docs/grid-simulator.md).
At a terminal the demo ends with the dashboard of its federation, on which predictions go on until Ctrl-C.
Under two minutes on 2 cores. Ctrl-C ends all processes and removes what they wrote.

With --on-shares nobody holds embeddings: every owner splits its bundle among three entities, processes of their own, which train and
predict on shares. At the end the shares are taken from the entities' folders and put together, alone and by twos (docs/shares.md).

Examples:
  f3 demo
  f3 demo --on-shares
  f3 demo --owners 10 --samples 500
  f3 demo --seed 2 --out report --keep`,
    )
    .action(async (options: DemoOptions) => {
      if (options.onShares) return (await import('./demo-shares-run.ts')).runSharesDemo(options);
      return (await import('./demo-run.ts')).runDemo(options);
    });
}
