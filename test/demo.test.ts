// The main job, small: three models on planted data, by the program itself.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const main = new URL('../src/cli/main.ts', import.meta.url).pathname;

describe('f3 demo', () => {
  it('prints one line of JSON with the three models, and learning the graph pays', async () => {
    const args = [main, 'demo', '--owners', '12', '--samples', '3000', '--epochs', '40', '--json'];
    const { stdout } = await run(process.execPath, args);
    const { rows } = JSON.parse(stdout);
    expect(rows.map((row: { model: string }) => row.model)).toEqual([
      'mean pooling',
      'alignment only',
      'F³: alignment + graph',
    ]);
    const [pooling, , fused] = rows.map((row: { auc: number }) => row.auc);
    expect(fused).toBeGreaterThan(pooling + 0.1);
    expect(rows[2].permutations).toBeGreaterThan(0.9);
    expect(rows[2].edges).toBeGreaterThan(0.7);
  });

  it('refuses a number of owners it cannot use, with exit code 2 and no stack trace', async () => {
    const failure = run(process.execPath, [main, 'demo', '--owners', 'many']);
    await expect(failure).rejects.toMatchObject({ code: 2 });
    await expect(failure).rejects.toMatchObject({ stderr: expect.not.stringContaining('    at ') });
  });
});
