import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { ADVICE } from './advice.ts';
import { bundleCommand } from './bundle/bundle.ts';
import { dataCommand } from './data/data.ts';
import { federationCommand } from './federation/federation.ts';
import { fuseCommand } from './fuse/fuse.ts';
import { predictCommand } from './fuse/predict.ts';
import { ownerCommand } from './owner/owner.ts';
import { reproduceCommand } from './reproduce/reproduce.ts';

const flagsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long }) => long ?? []),
  ...command.commands.flatMap(flagsOf),
];

test('advice names flags that commands have', () => {
  const commands = [
    bundleCommand(),
    dataCommand(),
    federationCommand(),
    fuseCommand(),
    predictCommand(),
    ownerCommand(),
    reproduceCommand(),
  ];
  const known = new Set(commands.flatMap(flagsOf));
  const named = Object.values(ADVICE).flatMap((advice) => advice.match(/--[a-z-]+/g) ?? []);
  expect(named.length).toBeGreaterThanOrEqual(Object.keys(ADVICE).length);
  expect(named.filter((flag) => !known.has(flag))).toEqual([]);
});
