#!/usr/bin/env node
// The `f3` program: one folder per noun, one file per command.

import '../base/without-maglev.ts';
import { Command } from 'commander';
import { VERSION } from '../base/version.ts';
import { bundleCommand } from './bundle/bundle.ts';
import { completionCommand } from './completion/completion.ts';
import { dashboardCommand } from './dashboard/dashboard.ts';
import { dataCommand } from './data/data.ts';
import { demoCommand } from './demo/demo.ts';
import { demoOwnerCommand } from './demo/demo-owner.ts';
import { entityCommand } from './entity/entity.ts';
import { federationCommand } from './federation/federation.ts';
import { evaluateCommand } from './fuse/evaluate.ts';
import { fuseCommand } from './fuse/fuse.ts';
import { predictCommand } from './fuse/predict.ts';
import { keyCommand } from './key/key.ts';
import { modelCommand } from './model/model.ts';
import { ownerCommand } from './owner/owner.ts';
import { loginCommand } from './profile/login.ts';
import { logoutCommand } from './profile/logout.ts';
import { profilesCommand } from './profile/profiles.ts';
import { pseudonymsCommand } from './pseudonyms/pseudonyms.ts';
import { reproduceCommand } from './reproduce/reproduce.ts';
import { runProgram } from './run-command.ts';
import { backupCommand } from './server/backup.ts';
import { restoreCommand } from './server/restore.ts';
import { serveCommand } from './server/serve.ts';
import { workerCommand } from './server/worker.ts';
import { tokenCommand } from './token/token.ts';

const program = new Command('f3')
  .description(
    'Federated Feature Fusion: owners train alone, speak once, and a coordinator learns how they fit together',
  )
  .version(VERSION);
const owner = [dataCommand(), ownerCommand(), bundleCommand()];
const coordinator = [
  federationCommand(),
  tokenCommand(),
  keyCommand(),
  fuseCommand(),
  modelCommand(),
  predictCommand(),
  evaluateCommand(),
];
const thisMachine = [loginCommand(), logoutCommand(), profilesCommand(), completionCommand()];
for (const command of [
  ...owner,
  ...coordinator,
  serveCommand(),
  dashboardCommand(),
  workerCommand(),
  entityCommand(),
  backupCommand(),
  restoreCommand(),
  pseudonymsCommand(),
  ...thisMachine,
  demoCommand(),
  reproduceCommand(),
])
  program.addCommand(command);
program.addCommand(demoOwnerCommand(), { hidden: true });
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
