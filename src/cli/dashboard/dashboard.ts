// `f3 dashboard`: prints a link that opens the coordinator's page in the name of whoever's key is in force.
import { Command } from 'commander';
import { dashboardUrl } from '../../exchange/identity/dashboard-url.ts';
import type { PlaceOptions } from '../federation/in-force.ts';
import { memberText } from '../federation/in-force.ts';
import {
  addMemberOptions,
  FEDERATION_FLAG,
  FEDERATION_OPTION_TEXT,
  memberClient,
} from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import { shownTime } from '../terminal/shown-time.ts';

interface Options extends PlaceOptions {
  open?: boolean;
  json?: boolean;
}

export function dashboardCommand(): Command {
  const command = new Command('dashboard')
    .description("print a link to the coordinator's page: owners, trainings, models, the graph, live predictions")
    .option(FEDERATION_FLAG, FEDERATION_OPTION_TEXT)
    .option('--open', "open it in this machine's browser")
    .option('--json', 'print one line of JSON');
  return addMemberOptions(command)
    .addHelpText(
      'after',
      `
The link holds a code that is good once, for ten minutes. It becomes a session of your own role: operators run the coordinator,
label holders train and compare, owners see their own entry and change nothing. Sessions end after 30 minutes without use and
after 12 hours at most; the page lists and ends them. Whoever has the link before you has the session: do not pass it on.

Examples:
  f3 dashboard
  f3 dashboard --open
  f3 dashboard --url http://127.0.0.1:7700 --key coordinator/operator-key.json`,
    )
    .action(runDashboard);
}

async function runDashboard({ open, json, ...options }: Options): Promise<void> {
  const { client, membership } = await memberClient(options);
  const { code, expires } = await client.sessionCode();
  const url = dashboardUrl(client.connection.origin, code);
  const { owner, role, federation } = membership;
  const text = `${url}\nopens the dashboard once, until ${shownTime(expires)} UTC, for ${memberText(membership)}`;
  printResult({ url, expires, owner, role, federation }, text, json);
  if (open && !(await openBrowser(url))) process.stderr.write('f3: no browser was found here; open the link by hand\n');
}
