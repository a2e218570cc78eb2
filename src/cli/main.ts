#!/usr/bin/env node
// The `f3` program: one subcommand per file in this folder.

import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { demoCommand } from './demo.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
  description: string;
};

const program = new Command('f3').description(manifest.description).version(manifest.version).showHelpAfterError();

program.addCommand(demoCommand());

await program.parseAsync();
