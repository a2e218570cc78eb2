// `f3 completion`: prints a script with which a shell completes f3's commands, options, choices and files.
import { Argument, Command } from 'commander';
import { bashCompletion } from './bash-completion.ts';
import { type CommandNode, commandTree } from './command-tree.ts';
import { fishCompletion } from './fish-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

const SHELLS: Record<string, (name: string, nodes: readonly CommandNode[]) => string> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export function completionCommand(): Command {
  return new Command('completion')
    .description('print a script that completes commands, options and files in your shell')
    .addArgument(new Argument('<shell>', 'for which one').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      `
Put it where your shell looks for such scripts, and open a new shell:
  f3 completion bash > ~/.local/share/bash-completion/completions/f3      # or append it to ~/.bashrc
  f3 completion zsh > ~/.zfunc/_f3            # in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit; compinit
  f3 completion fish > ~/.config/fish/completions/f3.fish`,
    )
    .action((shell: string, _options: object, command: Command) => {
      const program = command.parent ?? command;
      process.stdout.write(SHELLS[shell](program.name(), commandTree(program)));
    });
}
