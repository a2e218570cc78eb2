// `f3 owner embed`: freezes the local model, embeds every window, writes the bundle an owner sends.
import { Command } from 'commander';

export function embedCommand(): Command {
  return new Command('embed');
}
