#!/usr/bin/env node
// The `f3` program: one folder per noun, one file per command.

import '../base/without-maglev.ts';
import { Command } from 'commander';
import { VERSION } from '../base/version.ts';
import { COMMANDS } from './commands.ts';
import { runProgram } from './run-command.ts';

const program = new Command('f3')
  .description(
    'Federated Feature Fusion: owners train alone, speak once, and a coordinator learns how they fit together',
  )
  .version(VERSION);

// A command that is named needs none of the others, which would load half of the library to describe themselves.
const [, , named] = process.argv;
const isNamed = Object.hasOwn(COMMANDS, named) && named !== 'completion';
for (const name of isNamed ? [named] : Object.keys(COMMANDS)) {
  program.addCommand(await COMMANDS[name](), { hidden: name === 'demo-owner' });
}
program.addHelpText(
  'after',
  `
Results go to stdout, progress and errors to stderr. Exit codes: 0 done, 2 bad usage or input, 1 failure, 130 Ctrl-C.`,
);

/** package.json states the same version, but npm only warns about it. */
const OLDEST_NODE = [22, 13];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  process.stderr.write(`f3: Node must be version ${OLDEST_NODE.join('.')} or newer, got ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await runProgram(program, process.argv);
}
