// What the commands that make a bundle have in common: options, the last steps and the line that they print.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Bundle, BundleContent } from '../../exchange/bundle/bundle.ts';
import { isIsoTime } from '../../exchange/bundle/iso-time.ts';
import type { SampleType } from '../../exchange/bundle/sample-ids.ts';
import { printResult } from '../run-command.ts';

export interface BundleOptions {
  owner: string;
  out: string;
  idType?: SampleType;
  model?: string;
  created?: string;
  force?: boolean;
  json?: boolean;
}

export function withBundleOptions(command: Command): Command {
  return command
    .requiredOption('--owner <id>', 'id of the owner in the federation')
    .requiredOption('--out <file>', 'bundle to write')
    .addOption(
      new Option('--id-type <type>', 'type of the ids (default: that of the file)').choices(['text', 'integer']),
    )
    .option('--model <text>', 'which model made the embeddings: a hash or a name')
    .option('--created <time>', 'time to write into the bundle (default: now)', isoTime)
    .option('--force', 'replace the file at --out')
    .option('--json', 'print the result as one line of JSON');
}

/** Reads the embeddings if the bundle may be written, then writes it and prints what it holds. */
export async function makeBundle(options: BundleOptions, read: () => Promise<BundleContent>): Promise<void> {
  const { bundleHash } = await import('../../exchange/bundle/bundle.ts');
  const { checkBundleTarget, writeBundle } = await import('../../exchange/bundle/bundle-file.ts');
  const { owner, out, idType, model, created, force = false, json } = options;
  checkBundleTarget(out, force);
  const embeddings = await read();
  const bundle: Bundle = {
    ...embeddings,
    owner,
    sampleType: idType ?? embeddings.sampleType,
    created: created ?? new Date().toISOString(),
    ...(model !== undefined && { model }),
  };
  const { bytes, warnings } = writeBundle(out, bundle, { overwrite: force });
  for (const { message } of warnings) process.stderr.write(`warning: ${message}\n`);
  const { samples, width, classes, sampleType } = bundle;
  const hash = bundleHash(bytes);
  const votes = classes ? `, probabilities of ${classes} classes` : '';
  const text = `${out}: owner ${owner}, ${samples.length} samples, width ${width}${votes}\nsha256 ${hash}`;
  const counts = { samples: samples.length, width, classes: classes ?? null };
  printResult({ out, owner, ...counts, sampleType, hash, bytes: bytes.length, warnings }, text, json);
}

function isoTime(text: string): string {
  if (isIsoTime(text)) return text;
  throw new InvalidArgumentError('It must be an ISO 8601 time with its zone, such as 2026-05-01T12:00:00Z.');
}
