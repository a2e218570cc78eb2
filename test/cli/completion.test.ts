// `f3 completion` in real shells: bash always, zsh and fish where they are installed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { suiteDirectory } from '../support/temporary-directory.ts';
import { unless } from '../support/unless.ts';
import { runF3 } from './run-f3.ts';

/** Why a shell cannot be tried, '' if it can. */
const missing = (shell: string) => (spawnSync(shell, ['-c', 'exit 0']).status === 0 ? '' : `there is no ${shell}`);
const GROUPS = ['data', 'owner', 'bundle', 'federation', 'token', 'fuse', 'serve', 'login', 'completion', 'help'];

describe('a completion script', () => {
  const dir = suiteDirectory();
  const file = (shell: string) => join(dir, `f3.${shell}`);
  beforeAll(() => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { status, stdout, stderr } = runF3('completion', shell);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      writeFileSync(file(shell), stdout);
    }
    mkdirSync(join(dir, 'data folder'));
    writeFileSync(join(dir, 'data.pem'), '');
  });

  /** Runs a script in a shell that has read the completions. */
  const run = (shell: string, script: string, ...options: string[]) => {
    const { status, stdout, stderr } = spawnSync(shell, [...options, '-c', script], {
      ...{ cwd: dir, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: dir, XDG_CONFIG_HOME: dir } },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout.split('\n').filter((line) => line !== '');
  };

  describe('in bash', unless(missing('bash')), () => {
    /** What bash would offer with the cursor behind the last of these words. */
    const offered = (...words: string[]) => {
      const list = words.map((word) => `'${word}'`).join(' ');
      const cursor = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}`;
      return run('bash', `source f3.bash; ${cursor}; _f3; printf '%s\\n' "\${COMPREPLY[@]}"`, '--norc');
    };

    it('offers the commands of the program and of a group', () => {
      expect(offered('f3', '')).toEqual(expect.arrayContaining(GROUPS));
      expect(offered('f3', '')).not.toContain('demo-owner');
      expect(offered('f3', 'fed')).toEqual(['federation']);
      expect(offered('f3', 'federation', 'sta')).toEqual(['status']);
      expect(offered('f3', 'nonsense', 'sta')).toEqual([]);
    });

    it('offers the options of a command, whatever stands before', () => {
      expect(offered('f3', 'fuse', '--bund')).toEqual(['--bundles']);
      expect(offered('f3', 'federation', 'status', 'grid', '--tls-')).toEqual(['--tls-ca', '--tls-cert', '--tls-key']);
      expect(offered('f3', 'owner', 'push', '--home', 'x', '--aga')).toEqual(['--again']);
    });

    it('offers choices, files and folders where a value stands, and nothing where nobody can know', () => {
      expect(offered('f3', 'owner', 'invite', 'grid', 'x', '--role', '')).toEqual(['owner', 'labels', 'operator']);
      expect(offered('f3', 'serve', '--log-level', '=', 'e')).toEqual(['error']);
      expect(offered('f3', 'completion', 'z')).toEqual(['zsh']);
      // The shell gives files in the order of the file system, which differs between disk and memory.
      expect(offered('f3', 'owner', 'join', '--tls-ca', 'data').sort()).toEqual(['data folder', 'data.pem']);
      expect(offered('f3', 'serve', '--data', 'data')).toEqual(['data folder']);
      expect(offered('f3', 'bundle', 'check', 'data.')).toEqual(['data.pem']);
      expect(offered('f3', 'serve', '--port', '')).toEqual([]);
    });
  });

  describe('in zsh', unless(missing('zsh')), () => {
    it('offers the same', () => {
      const offered = (...words: string[]) => {
        const list = words.map((word) => `'${word}'`).join(' ');
        const shown = [
          'compdef() { : }; compset() { : }; compadd() { shift; print -l -- $@ }',
          '_files() { print -r -- "files$*" }',
          `_describe() { [[ $1 == -o ]] && shift; print -l -- "\${(@P)2}" }`,
        ];
        return run('zsh', `${shown.join('\n')}; source f3.zsh; words=(${list}); CURRENT=${words.length}; _f3`, '-f');
      };
      const names = (lines: string[]) => lines.map((line) => line.split(':')[0]);
      expect(names(offered('f3', ''))).toEqual(expect.arrayContaining(GROUPS));
      expect(names(offered('f3', 'federation', ''))).toContain('status');
      expect(names(offered('f3', 'fuse', '--'))).toContain('--bundles');
      expect(offered('f3', 'owner', 'invite', 'grid', 'x', '--role', '')).toEqual(['owner', 'labels', 'operator']);
      expect(offered('f3', 'serve', '--data', '')).toEqual(['files-/']);
      expect(offered('f3', 'serve', '--port', '')).toEqual([]);
    });
  });

  describe('in fish', unless(missing('fish')), () => {
    it('offers the same', () => {
      const offered = (line: string) =>
        run('fish', `source f3.fish; complete -C '${line}'`, '--no-config').map((shown) => shown.split('\t')[0]);
      expect(offered('f3 ')).toEqual(expect.arrayContaining(GROUPS));
      expect(offered('f3 federation sta')).toEqual(['status']);
      expect(offered('f3 fuse --bund')).toEqual(['--bundles']);
      expect(offered('f3 owner invite grid x --role ').sort()).toEqual(['labels', 'operator', 'owner']);
      expect(offered('f3 owner join --tls-ca data.')).toEqual(['data.pem']);
      expect(offered('f3 serve --port ')).toEqual([]);
    });
  });

  it('is refused for a shell that is none of them', () => {
    const { status, stderr } = runF3('completion', 'tcsh');
    expect(status).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish. [F3_OPTION]');
  });
});
