// The coordinator's commands as a person types them: fuse, interrupt, go on, predict, evaluate, refit; and every mistake.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeBundle } from '../../src/exchange/bundle/bundle.ts';
import { writeBundle } from '../../src/exchange/bundle/bundle-file.ts';
import { suiteDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { toyBundle, toyBundles, toyId } from '../support/toy-bundles.ts';
import { unless } from '../support/unless.ts';
import { MAIN, runF3 } from './run-f3.ts';

const quick = ['--epochs', '6', '--hidden', '4', '--threads', '1'];
const scores = { accuracy: expect.any(Number), f1: expect.any(Number), auc: expect.any(Number) };
const allScores = { ...scores, prAuc: expect.any(Number), loss: expect.any(Number) };

describe('f3 fuse, predict and evaluate', () => {
  const parent = suiteDirectory();
  const saw = (owner: number, sample: number) => owner !== 1 || sample % 3 !== 0;
  const { inputs, bundles, labels, split } = toyBundles(parent, { saw });
  const out = join(parent, 'model');

  let fused = { status: null as number | null, stdout: '', stderr: '' };
  beforeAll(() => {
    fused = runF3('fuse', ...inputs, ...quick, '--out', out, '--json');
  });

  it('fuse joins, trains, scores and writes a model', () => {
    const { status, stdout, stderr } = fused;
    expect(status).toBe(0);
    const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) as string);
    expect(result).toMatchObject({ epochs: 6, owners: 5, validation: allScores, test: allScores });
    expect(result.upload).toEqual({ messages: 5, bytes: (4 * 200 + 133) * 4 * 4 });
    expect(stderr).toContain('owner owner-1 saw 133 of 200 samples');
    expect(readdirSync(out).sort()).toEqual(['model.json', 'model.safetensors']);
    expect(existsSync(`${out}.checkpoint`)).toBe(false);
    const card = JSON.parse(readFileSync(join(out, 'model.json'), 'utf8'));
    expect(card.owners[0]).toMatchObject({ owner: 'owner-0', bundle: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(card).toMatchObject({ code: expect.any(String), config: { alignment: 'soft', graph: 'none' } });
  });

  it('predict answers with whoever is present, as CSV and as Arrow', () => {
    const some = ['owner-0', 'owner-3'].map((owner) => join(bundles, `${owner}.arrow`));
    const csv = runF3('predict', '--model', out, '--bundles', ...some, '--graphs', 'mean', '--threads', '1');
    expect(csv.status).toBe(0);
    const lines = csv.stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('sample,class,p(calm),p(storm),owners');
    expect(lines).toHaveLength(201);
    expect(lines[1]).toMatch(/^s0000,(calm|storm),[\d.e-]+,[\d.e-]+,2$/);
    const without = runF3(
      'predict',
      '--model',
      out,
      '--bundles',
      bundles,
      '--without',
      'owner-1',
      'owner-2',
      'owner-4',
      '--graphs',
      'mean',
    );
    expect(without.stdout).toBe(csv.stdout);
    const arrow = join(parent, 'predictions.arrow');
    const written = runF3('predict', '--model', out, '--bundles', bundles, '--out', arrow, '--json');
    expect(JSON.parse(written.stdout)).toMatchObject({ samples: 200, classes: ['calm', 'storm'], out: arrow });
    expect(readFileSync(arrow).subarray(0, 6).toString()).toBe('ARROW1');
  });

  it('evaluate prints scores, confusion, calibration and the cost of absence', () => {
    const figure = join(parent, 'absence.svg');
    const evaluated = runF3('evaluate', '--model', out, ...inputs, '--repeats', '2', '--figure', figure, '--json');
    expect(evaluated.status).toBe(0);
    const result = JSON.parse(evaluated.stdout.trimEnd().split('\n').at(-1) as string);
    expect(result).toMatchObject({ epochs: 6, bestEpoch: expect.any(Number), seconds: expect.any(Number) });
    expect(result).toMatchObject({ validation: allScores, test: allScores });
    const card = JSON.parse(readFileSync(join(out, 'model.json'), 'utf8'));
    expect(result.test).toEqual(card.test);
    expect(result.confusion.flat().reduce((a: number, b: number) => a + b)).toBe(40);
    expect(result.absence).toHaveLength(10);
    expect(result.calibration.expectedError).toBeGreaterThan(0);
    expect(readFileSync(figure, 'utf8')).toContain('share of owners absent');
    const text = runF3('evaluate', '--model', out, '--bundles', bundles, '--labels', labels, '--no-absence').stdout;
    expect(text).toContain('calibration error');
    expect(text).not.toContain('validation');
  });

  it('fuse is repeatable, whatever the number of threads', () => {
    const again = join(parent, 'again');
    expect(runF3('fuse', ...inputs, ...quick.slice(0, 4), '--threads', '2', '--out', again).status).toBe(0);
    const weights = (dir: string) => readFileSync(join(dir, 'model.safetensors'));
    expect(weights(again).equals(weights(out))).toBe(true);
  });

  it('fuse leaves out who is named, and then predict does, too; a name that nobody has is refused', () => {
    const few = join(parent, 'few');
    expect(runF3('fuse', ...inputs, ...quick, '--out', few, '--without', 'owner-1', 'owner-2').status).toBe(0);
    const card = JSON.parse(readFileSync(join(few, 'model.json'), 'utf8'));
    const owners = card.owners.map(({ owner }: { owner: string }) => owner);
    expect(owners).toEqual(['owner-0', 'owner-3', 'owner-4']);
    const predict = (...args: string[]) => runF3('predict', '--model', few, '--bundles', bundles, ...args);
    expect(predict().stderr).toMatch(/must be of an owner of the model.*--without names those left out/s);
    expect(predict('--without', 'owner-1', 'owner-2').stdout.trimEnd().split('\n')).toHaveLength(201);
    const mistyped = runF3('fuse', ...inputs, ...quick, '--out', join(parent, 'none'), '--without', 'owner-22');
    expect(mistyped.status).toBe(2);
    expect(mistyped.stderr).toContain('without: must name owners of these bundles, or of the model, got owner-22');
    expect(existsSync(join(parent, 'none'))).toBe(false);
  });

  it('refit learns one owner anew and refuses when another changed', () => {
    const retrained = join(parent, 'retrained');
    mkdirSync(retrained);
    for (let owner = 0; owner < 5; owner++) {
      const bundle = toyBundle(owner, owner === 3 ? { saw: (_, sample) => sample % 5 !== 0 } : { saw });
      writeBundle(join(retrained, `owner-${owner}.arrow`), bundle);
    }
    const refit = (owner: string) =>
      runF3(
        'fuse',
        '--bundles',
        retrained,
        '--labels',
        labels,
        '--split',
        split,
        '--refit',
        owner,
        '--model',
        out,
        '--out',
        join(parent, `refit-${owner}`),
        '--json',
      );
    const { status, stdout } = refit('owner-3');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ refitted: 'owner-3', test: allScores });
    const other = refit('owner-2');
    expect(other.status).toBe(2);
    expect(other.stderr).toContain('the bundle of owner owner-3 must be the one the model was made with, got another');
    expect(existsSync(join(parent, 'refit-owner-2'))).toBe(false);
  });

  it('refit wants a new bundle and the model’s own split, whose seed it knows', () => {
    const retrained = join(parent, 'retrained-again');
    mkdirSync(retrained);
    for (let owner = 0; owner < 5; owner++) {
      writeBundle(join(retrained, `owner-${owner}.arrow`), toyBundle(owner, owner === 3 ? { saw, seed: 2 } : { saw }));
    }
    const files = ['--bundles', retrained, '--labels', labels];
    const seeded = join(parent, 'seeded');
    const trained = ['fuse', '--bundles', bundles, '--labels', labels, '--split', '4', ...quick, '--out', seeded];
    expect(runF3(...trained).status).toBe(0);
    const refit = (...args: string[]) => runF3('fuse', '--refit', 'owner-3', '--model', seeded, '--json', ...args);
    const card = JSON.parse(readFileSync(join(seeded, 'model.json'), 'utf8'));
    expect(card.split).toEqual({ seed: 4, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.parse(refit(...files, '--epochs', '2').stdout)).toMatchObject({ samples: card.samples });
    const other = refit(...files, '--split', '5');
    expect(other.status).toBe(2);
    expect(other.stderr).toContain(
      'refit owner-3: the split must be the one the model was made with (seed 4), got seed 5 [F3_MODEL_REFIT]',
    );
    const shorter = join(parent, 'shorter.csv');
    writeFileSync(shorter, readFileSync(labels, 'utf8').split('\n').slice(0, -20).join('\n'));
    expect(refit('--bundles', retrained, '--labels', shorter).stderr).toContain('got seed 4 over other samples');
    const same = refit('--bundles', bundles, '--labels', labels);
    expect(same.status).toBe(2);
    expect(same.stderr).toContain('its bundle must be another than the one the model was made with, got the same');
    const unnamed = runF3('fuse', '--refit', 'owner-3', '--model', out, ...files);
    expect(unnamed.stderr).toContain(
      'the split must be given for a model that was not split by a seed, got none; --split names it',
    );
    expect(runF3('fuse', ...files).stderr).toContain('--split: must be a file or a seed, got none [F3_OPTION]');
  });
});

describe('f3 fuse, stopped', () => {
  const toy = { owners: 12, samples: 400 };
  const long = ['--epochs', '600', '--patience', '600', '--threads', '1'];
  const uninterrupted = suiteDirectory();
  const whole = join(uninterrupted, 'whole');
  const weights = (dir: string) => readFileSync(join(dir, 'model.safetensors'));

  beforeAll(() => {
    const { inputs } = toyBundles(uninterrupted, toy);
    expect(runF3('fuse', ...inputs, ...long, '--out', whole).status).toBe(0);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('by %s goes on with --resume to the same bits', async (signal) => {
    const parent = temporaryDirectory();
    const { inputs } = toyBundles(parent, toy);
    const options = [...inputs, ...long];
    const model = join(parent, 'model');
    const child = spawn(process.execPath, [MAIN, 'fuse', ...options, '--out', model], {
      env: { ...process.env, F3_CHECKPOINT_SECONDS: '0.05' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    setPriority(child.pid as number, constants.priority.PRIORITY_LOW); // so that it is stopped long before it has finished
    const closed = once(child, 'close');
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const checkpoint = join(`${model}.checkpoint`, 'learning-rate-0.003.safetensors');
    while (!existsSync(checkpoint) && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill(signal);
    const [code] = await closed;
    if (signal === 'SIGINT') {
      expect(code).toBe(130);
      expect(stderr).toContain('f3: interrupted; the same command with --resume goes on');
    }
    expect(existsSync(model)).toBe(false);
    expect(runF3('fuse', ...options, '--out', model, '--resume').status).toBe(0);
    expect(weights(model).equals(weights(whole))).toBe(true);
    expect(readdirSync(parent).sort()).toEqual(['bundles', 'labels.csv', 'model', 'split.json']);
  });
});

describe('f3 fuse says what is wrong, in one line, and writes nothing', () => {
  /** A fresh set of inputs, spoiled. */
  function spoiled(spoil: (files: ReturnType<typeof toyBundles> & { parent: string }) => string[] | undefined) {
    const parent = temporaryDirectory();
    const files = toyBundles(parent);
    const extra = spoil({ ...files, parent }) ?? [];
    const before = readdirSync(parent).sort();
    // A method that counts votes has no hidden layer, and would say so.
    const choices = extra.includes('majority') ? ['--threads', '1'] : quick;
    const result = runF3('fuse', ...files.inputs, ...choices, '--out', join(parent, 'model'), ...extra);
    expect(readdirSync(parent).sort()).toEqual(before);
    return result;
  }

  const bad: [string, string, (files: ReturnType<typeof toyBundles> & { parent: string }) => string[] | undefined][] = [
    [
      'no overlap',
      'F3_FUSE_OVERLAP',
      ({ bundles }) => {
        const stranger = { ...toyBundle(7), samples: Array.from({ length: 200 }, (_, i) => `other-${i}`) };
        writeBundle(join(bundles, 'owner-7.arrow'), stranger);
        return undefined;
      },
    ],
    [
      'one class only',
      'F3_LABELS',
      ({ labels }) => {
        writeFileSync(labels, readFileSync(labels, 'utf8').replaceAll('storm', 'calm'));
        return undefined;
      },
    ],
    [
      'one class only in training',
      'F3_FUSE_CLASSES',
      ({ labels }) => {
        const lines = readFileSync(labels, 'utf8').split('\n');
        writeFileSync(labels, lines.map((line, i) => (i < 121 ? line.replace('storm', 'calm') : line)).join('\n'));
        return undefined;
      },
    ],
    [
      'NaN',
      'F3_BUNDLE_NOT_FINITE',
      ({ bundles }) => {
        const sick = toyBundle(2);
        sick.embeddings[13] = Number.NaN;
        writeFileSync(join(bundles, 'owner-2.arrow'), encodeBundle(sick));
        return undefined;
      },
    ],
    [
      'a truncated bundle',
      'F3_BUNDLE_FORMAT',
      ({ bundles }) => {
        truncateSync(join(bundles, 'owner-2.arrow'), 2000);
        return undefined;
      },
    ],
    [
      'an owner twice',
      'F3_FUSE_OWNER',
      ({ bundles }) => {
        writeBundle(join(bundles, 'copy.arrow'), toyBundle(0));
        return undefined;
      },
    ],
    [
      'integer ids among text ids',
      'F3_BUNDLE_ID_TYPE',
      ({ bundles }) => {
        const numbered = {
          ...toyBundle(9),
          sampleType: 'integer' as const,
          samples: Array.from({ length: 200 }, (_, i) => `${i}`),
        };
        writeBundle(join(bundles, 'owner-9.arrow'), numbered);
        return undefined;
      },
    ],
    [
      'different widths without alignment',
      'F3_FUSE_WIDTH',
      ({ bundles }) => {
        writeBundle(join(bundles, 'owner-8.arrow'), toyBundle(8, { width: () => 7 }));
        return ['--alignment', 'none'];
      },
    ],
    [
      'a matrix that does not name its owners',
      'F3_FUSE_GRAPH',
      ({ parent }) => {
        writeFileSync(join(parent, 'graph.csv'), '0,1\n1,0\n');
        return ['--graph', 'given', '--adjacency', join(parent, 'graph.csv')];
      },
    ],
    [
      'an edge of an unknown owner',
      'F3_FUSE_GRAPH',
      ({ parent }) => {
        writeFileSync(join(parent, 'graph.csv'), 'from,to\nowner-0,owner-99\n');
        return ['--graph', 'given', '--adjacency', join(parent, 'graph.csv')];
      },
    ],
    ['a graph without an adjacency', 'F3_OPTION', () => ['--graph', 'given']],
    ['more neighbours than owners', 'F3_FUSE_GRAPH', () => ['--graph', 'knn', '--k', '5']],
    [
      'a sample in two parts',
      'F3_FUSE_SPLIT',
      ({ split }) => {
        const parts = JSON.parse(readFileSync(split, 'utf8'));
        writeFileSync(split, JSON.stringify({ ...parts, test: [...parts.test, toyId(0)] }));
        return undefined;
      },
    ],
    [
      'a split of other samples',
      'F3_FUSE_SPLIT',
      ({ split }) => {
        writeFileSync(split, JSON.stringify({ train: ['x'], validation: ['y'], test: ['z'] }));
        return undefined;
      },
    ],
    [
      'labels without the column',
      'F3_DATA_COLUMN',
      ({ labels }) => {
        writeFileSync(labels, 'sample,class\ns0000,calm\n');
        return undefined;
      },
    ],
    [
      'no labels',
      'F3_DATA_UNREADABLE',
      ({ labels }) => {
        rmSync(labels);
        return undefined;
      },
    ],
    [
      'an empty folder of bundles',
      'F3_BUNDLE_UNREADABLE',
      ({ bundles }) => {
        for (const name of readdirSync(bundles)) rmSync(join(bundles, name));
        return undefined;
      },
    ],
    [
      'votes that were withheld',
      'F3_BUNDLE_VOTES',
      ({ bundles }) => {
        const { probabilities: _, classes: __, ...silent } = toyBundle(0);
        writeBundle(join(bundles, 'owner-0.arrow'), silent, { overwrite: true });
        return ['--method', 'majority'];
      },
    ],
    ['a path through a file', 'F3_MODEL_UNWRITABLE', ({ labels }) => ['--out', join(labels, 'model')]],
    [
      'a checkpoint of another training',
      'F3_CHECKPOINT',
      ({ inputs, parent }) => {
        const made = runF3('fuse', ...inputs, ...quick, '--out', join(parent, 'm'));
        expect(made.status).toBe(0);
        const from = join(parent, 'model.checkpoint');
        mkdirSync(from);
        // A model is no checkpoint either.
        writeFileSync(
          join(from, 'learning-rate-0.003.safetensors'),
          readFileSync(join(parent, 'm', 'model.safetensors')),
        );
        return ['--resume'];
      },
    ],
  ];

  it.each(bad)('%s', (_, code, spoil) => {
    const { status, stdout, stderr } = spoiled(spoil);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(new RegExp(`^f3: .* \\[${code}\\]$`));
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toContain('    at ');
  });

  const superuser = process.getuid?.() === 0 ? 'the superuser may write anywhere' : '';
  it('an unwritable folder', unless(superuser), () => {
    const parent = temporaryDirectory();
    const { inputs } = toyBundles(parent);
    const locked = join(parent, 'locked');
    mkdirSync(locked);
    chmodSync(locked, 0o500);
    const { status, stderr } = runF3('fuse', ...inputs, ...quick, '--out', join(locked, 'model'));
    chmodSync(locked, 0o700);
    expect(status).toBe(2);
    expect(stderr).toContain('must be writable, got no permission [F3_MODEL_UNWRITABLE]');
  });

  it('predict: an unknown owner, a missing model, an odd ending', () => {
    const parent = temporaryDirectory();
    const { inputs, bundles } = toyBundles(parent);
    const out = join(parent, 'model');
    runF3('fuse', ...inputs, ...quick, '--out', out);
    writeBundle(join(bundles, 'owner-9.arrow'), toyBundle(9));
    const unknown = runF3('predict', '--model', out, '--bundles', bundles);
    expect(unknown.stderr).toContain('bundle owner-9: must be of an owner of the model');
    const missing = runF3('predict', '--model', join(parent, 'nope'), '--bundles', bundles);
    expect(missing.stderr).toContain('must be readable, got no such file [F3_MODEL_FORMAT]');
    const odd = runF3('predict', '--model', out, '--bundles', bundles, '--out', join(parent, 'x.parquet'));
    expect(odd.stderr).toContain('--out: must end in .arrow or .csv');
    const stranger = runF3('evaluate', '--model', out, ...inputs, '--without', 'nobody', 'owner-9');
    expect(stranger.stderr).toContain('without: must name owners of these bundles, or of the model, got nobody');
    expect([unknown, missing, odd, stranger].map(({ status }) => status)).toEqual([2, 2, 2, 2]);
  });
});
