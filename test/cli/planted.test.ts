// `f3 data simulate planted` leads somewhere: the commands it prints fuse its bundles and compare the model with the truth.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { simulatePlantedCommand } from '../../src/cli/data/simulate-planted.ts';
import { PLANTED_DEFAULTS, simulatePlanted } from '../../src/data/simulate/planted.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { runF3 } from './run-f3.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/planted.md'), 'utf8');
const SMALL = ['--owners', '6', '--samples', '300', '--width', '4'];

describe('f3 data simulate planted', () => {
  const dir = suiteDirectory();

  it('has one set of defaults: in its help, in the code and in docs/planted.md', () => {
    const options = simulatePlantedCommand().options;
    const help = simulatePlantedCommand().helpInformation();
    const documented = Object.fromEntries(
      Array.from(DOCUMENT.matchAll(/^\| `--(\w+)` \| ([\d.]+) \|/gm), ([, name, value]) => [name, Number(value)]),
    );
    expect(documented).toEqual(PLANTED_DEFAULTS);
    for (const [name, value] of Object.entries(PLANTED_DEFAULTS)) {
      expect(options.find(({ long }) => long === `--${name}`)?.defaultValue).toBe(value);
      expect(help.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`--${name} <[^>]*> [^(]*\\(default: ${value}\\)`));
    }
    const small = { owners: 4, samples: 20, width: 3, seed: 1 };
    const { neighbours, everywhere, reach, noise } = PLANTED_DEFAULTS;
    const stated = { ...small, neighbours, everywhere, reach, noise };
    expect(simulatePlanted(small).embeddings).toEqual(simulatePlanted(stated).embeddings);
  });

  it('prints the commands that come next, and they run', () => {
    const out = join(dir, 'it is planted');
    const simulated = runF3('data', 'simulate', 'planted', ...SMALL, '--out', out);
    expect(simulated.status).toBe(0);
    const [fuse, show] = simulated.stdout.split('\n').filter((line) => line.startsWith('  f3 '));
    const words = (line: string) => Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, a, b]) => a ?? b).slice(1);
    const fused = runF3(...words(fuse), '--epochs', '3');
    expect(fused.stderr).not.toContain('f3:');
    expect(fused.status).toBe(0);
    const shown = runF3(...words(show));
    expect(shown.stdout).toMatch(/\n {2}edges {9}ROC AUC [01]\.\d{3}, linked owners against others/);
    expect(shown.stdout).toMatch(/\n {2}permutations {2}[\d.]+ % of the owners’ numbers are put where they belong/);
    const { truth } = JSON.parse(runF3(...words(show), '--json').stdout);
    expect(truth.edges).toBeGreaterThanOrEqual(0);
    expect(truth.permutations).toBeGreaterThan(0);

    const model = words(fuse).at(-1) as string;
    expect(runF3('model', 'show', model, '--truth', dir).stderr).toContain('adjacency.csv');
    writeFileSync(join(out, 'truth', 'permutations.json'), '[[0, 1, 1, 2]]');
    const wrong = runF3('model', 'show', model, '--truth', join(out, 'truth'));
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain(
      'must be a list of 6 permutations of 0 to 3, one per owner of the model, got [[0, 1, 1, 2]]',
    );
  });
});
