// The program's commands as completion scripts need them: names, options, and what a value may be.
import type { Argument, Command, Option } from 'commander';

/** What can stand in a place: one of these words, a file, a folder, or something nobody can guess. */
export type Value = readonly string[] | 'file' | 'folder' | 'any';

export interface OptionNode {
  /** `--json` */
  long: string | undefined;
  /** `-V` */
  short: string | undefined;
  about: string;
  /** Undefined if the option takes no value. */
  value: Value | undefined;
}

export interface CommandNode {
  /** Empty for the program itself, else `federation status`. */
  path: string;
  commands: { name: string; about: string }[];
  options: OptionNode[];
  /** What each argument may be, in order. */
  values: Value[];
}

/** Every command that help shows, the program first. */
export function commandTree(program: Command, path = ''): CommandNode[] {
  const help = program.createHelp();
  const visible = help.visibleCommands(program);
  const node: CommandNode = {
    path,
    commands: visible.map((command) => ({ name: command.name(), about: shortText(command.description()) })),
    options: help.visibleOptions(program).map(optionNode),
    values: program.registeredArguments.map((argument) => kindOfValue(argument.argChoices, argument.name())),
  };
  const known = program.commands.filter((command) => visible.includes(command));
  return [node, ...known.flatMap((command) => commandTree(command, `${path} ${command.name()}`.trim()))];
}

function optionNode(option: Option): OptionNode {
  const takesValue = option.required || option.optional;
  const named = /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1] ?? '';
  return {
    long: option.long ?? undefined,
    short: option.short ?? undefined,
    about: shortText(option.description),
    value: takesValue ? kindOfValue(option.argChoices, named) : undefined,
  };
}

/** Without choices, the name in the help decides: `<file>`, `<dir>`, `<bundles...>`. */
function kindOfValue(choices: Argument['argChoices'], name: string): Value {
  if (choices && choices.length > 0) return choices;
  if (/file|path|bundle/.test(name)) return 'file';
  return /^(dir|folder)/.test(name) ? 'folder' : 'any';
}

/** Shortens a text to one line that fits a menu. */
function shortText(text: string): string {
  const [first] = text.split('\n');
  return first.length > 80 ? `${first.slice(0, 79)}…` : first;
}
