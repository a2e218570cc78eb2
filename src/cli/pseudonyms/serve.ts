// `f3 pseudonyms serve`: runs the key holder.
import { Command } from 'commander';
import { KEY_HOLDER_LIMITS } from '../../privacy/key-holder/key-holder-limits.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { serverTls } from '../server/server-options.ts';
import { endRequested } from '../terminal/end-requested.ts';
import type { TlsFileOptions } from '../tls-files.ts';

interface Options extends Omit<TlsFileOptions, 'tlsCa'> {
  data: string;
  host: string;
  port: number;
  idsPerDay: number;
  json?: boolean;
}

export const DATA_FLAG = '--data <dir>';
export const DATA_TEXT = 'the key, the members and how much each has asked for';
export const DATA_DEFAULT = 'f3-pseudonyms';

export function serveKeyHolderCommand(): Command {
  return new Command('serve')
    .description('run a key holder: it evaluates blinded ids and sees neither ids nor pseudonyms nor embeddings')
    .option(DATA_FLAG, DATA_TEXT, DATA_DEFAULT)
    .option('--host <name>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 takes a free one', integerFrom(0, 65_535), 7710)
    .option('--tls-cert <file>', 'certificate (PEM); with --tls-key it speaks HTTPS')
    .option('--tls-key <file>', 'its private key (PEM)')
    .option('--ids-per-day <n>', 'of each member (UTC)', integerFrom(1), KEY_HOLDER_LIMITS.idsPerDay)
    .option('--json', 'print address and public key as one line of JSON')
    .addHelpText(
      'after',
      `
Run it where the operator of the coordinator has no access: who has both the key and the pseudonyms can try out ids.
The first start makes the key; whoever loses it cannot make the same pseudonyms again.

  f3 pseudonyms serve --data keys --tls-cert cert.pem --tls-key key.pem --host 0.0.0.0
  f3 pseudonyms invite plant-7 --data keys
  f3 owner push bundle.arrow --pseudonyms https://keys.example.org:7710 --pseudonyms-code CODE`,
    )
    .action(runServe);
}

async function runServe(options: Options): Promise<void> {
  const { data, host, port, idsPerDay, json } = options;
  const https = serverTls(options);
  const { startKeyHolder } = await import('../../privacy/key-holder/start-key-holder.ts');
  const ended = endRequested();
  const holder = await startKeyHolder({ data, host, port, idsPerDay, https });
  const { url, publicKey } = holder;
  printResult({ url, publicKey }, `key holder at ${url}, public key ${publicKey}`, json);
  if (!https && host !== '127.0.0.1' && host !== '::1' && host !== 'localhost') {
    process.stderr.write('warning: without --tls-cert, whoever is on the line can answer instead of the key holder\n');
  }
  await ended;
  await holder.close();
}
