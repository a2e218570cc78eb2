#!/usr/bin/env node
// The `f3` program: one subcommand per file in this folder.

import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { bundleCommand } from './bundle.ts';
import { dataCommand } from './data.ts';
import { demoCommand } from './demo.ts';
import { ownerCommand } from './owner.ts';
import { runProgram } from './run-command.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
  description: string;
};

const program = new Command('f3').description(manifest.description).version(manifest.version);
program.addCommand(dataCommand()).addCommand(ownerCommand()).addCommand(bundleCommand()).addCommand(demoCommand());
program.addHelpText(
  'after',
  `
Results go to stdout, progress and errors to stderr. Exit codes: 0 done, 2 bad usage or input, 1 failure, 130 Ctrl-C.`,
);

process.exitCode = await runProgram(program, process.argv);
