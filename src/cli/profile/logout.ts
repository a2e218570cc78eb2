// `f3 logout`: removes a profile; its key and certificates stay where they are.
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import { HOME_FLAG, HOME_TEXT } from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';

interface Options {
  profile?: string;
  home?: string;
  json?: boolean;
}

export function logoutCommand(): Command {
  return new Command('logout')
    .description('forget a profile; its key file stays')
    .option('--profile <name>', 'which one (F3_PROFILE, else the current one)')
    .option(HOME_FLAG, HOME_TEXT)
    .option('--json', 'print one line of JSON')
    .action(async (options: Options) => {
      const { homeFolder } = await import('../../exchange/identity/home.ts');
      const { readProfiles, removeProfile } = await import('../../exchange/identity/profiles.ts');
      const home = homeFolder(options.home);
      const name = options.profile ?? (process.env.F3_PROFILE || readProfiles(home).current);
      if (name === null) throw new F3Error('F3_PROFILE', `home ${home}: must have a profile in force, got none`);
      const { key } = removeProfile(home, name);
      printResult({ profile: name, key }, `profile ${name} is forgotten; its key stays in ${key}`, options.json);
    });
}
