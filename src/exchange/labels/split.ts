// [owner] Which samples train, validate and test, read from a file and checked.

import { unreadable } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from '../bundle/canonical-time.ts';
import { PARTS, type Part } from './sample-parts.ts';

/** Sample ids of each part. */
export type Split = Record<Part, string[]>;

/**
 * A split file's content, checked against `samples` (in time order). JSON: `{"train": […], "validation": […],
 * "test": […]}` of sample ids or of positions in time order, other keys ignored. CSV: header `sample,split`, one line
 * per sample.
 */
export function parseSplit(text: string, file: string, samples: readonly string[]): Split {
  const split = parseSplitFile(text, file, samples);
  checkSplit(split, samples, `split ${file}`);
  return split;
}

/** Reads the file as `parseSplit` does, without the check: some samples may be in no part, or unknown. */
export function parseSplitFile(text: string, file: string, samples: readonly string[]): Split {
  return text.trimStart().startsWith('{') ? parseJson(text, file, samples) : parseCsv(text, file);
}

/** Throws unless every sample is in exactly one part, no sample is unknown and no part is empty. */
export function checkSplit(split: Split, samples: readonly string[], thing = 'split'): void {
  const known = new Set(samples);
  const partOf = new Map<string, Part>();
  for (const part of PARTS) {
    if (split[part].length === 0) throw splitError(`${thing}: part ${part} must have at least one sample, got none`);
    for (const sample of split[part]) {
      if (!known.has(sample)) throw splitError(`${thing}: part ${part} names an unknown sample, got ${sample}`);
      const other = partOf.get(sample);
      if (other) throw splitError(`${thing}: sample ${sample} must be in one part, got ${other} and ${part}`);
      partOf.set(sample, part);
    }
  }
  const left = samples.find((sample) => !partOf.has(sample));
  if (left === undefined) return;
  const count = samples.length - partOf.size;
  throw splitError(`${thing}: every sample must be in a part, got ${count} in none (the first is ${left})`);
}

function parseJson(text: string, file: string, samples: readonly string[]): Split {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw unreadable(`split ${file}`, cause, 'must be JSON or CSV');
  }
  const idOf = (entry: unknown, part: Part): string => {
    if (typeof entry === 'string') return canonicalSampleId(entry);
    if (typeof entry === 'number' && samples[entry] !== undefined) return samples[entry];
    const rule = `must hold sample ids or positions from 0 to ${samples.length - 1}`;
    throw splitError(`split ${file}: part ${part} ${rule}, got ${JSON.stringify(entry)}`);
  };
  const ids = (part: Part): string[] => {
    const list = parsed[part];
    if (Array.isArray(list)) return list.map((entry) => idOf(entry, part));
    throw splitError(`split ${file}: "${part}" must be a list, got ${JSON.stringify(list) ?? 'nothing'}`);
  };
  return { train: ids('train'), validation: ids('validation'), test: ids('test') };
}

function parseCsv(text: string, file: string): Split {
  const [header = '', ...lines] = text.trim().split(/\r?\n/);
  if (header.replaceAll(/[\s"]/g, '') !== 'sample,split') {
    const rule = 'must start with { (JSON) or with the header sample,split (CSV)';
    throw new F3Error('F3_DATA_UNREADABLE', `split ${file}: ${rule}, got ${JSON.stringify(header.slice(0, 80))}`);
  }
  const split: Split = { train: [], validation: [], test: [] };
  for (const [i, line] of lines.entries()) {
    const cut = line.lastIndexOf(',');
    const [sample, part] = [unquote(line.slice(0, cut)), unquote(line.slice(cut + 1))];
    if (cut < 0 || !isPart(part)) {
      throw splitError(`split ${file}: line ${i + 2} must be sample,${PARTS.join('|')}, got ${JSON.stringify(line)}`);
    }
    split[part].push(canonicalSampleId(sample));
  }
  return split;
}

export const isPart = (text: string): text is Part => (PARTS as readonly string[]).includes(text);
const unquote = (cell: string): string => cell.trim().replace(/^"(.*)"$/, '$1');
const splitError = (message: string): F3Error => new F3Error('F3_DATA_SPLIT', message);
