// What every command of `f3 entity` is told: where the entity keeps its own, and how to answer.
import type { Command } from 'commander';

export interface EntityFlags {
  data: string;
  json?: boolean;
}

export const addEntityOptions = (command: Command): Command =>
  command
    .option('--data <dir>', "the entity's key, charters and shares", 'f3-entity')
    .option('--json', 'print one line of JSON');
