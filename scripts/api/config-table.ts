// The fields of a fusion as a table, from the schema, the presets and what fields are for.
import { fieldPurposes } from '../../src/fuse/field-purposes.ts';
import {
  type FusionField,
  fusionConfigSchema,
  fusionFieldRule,
  graphPreset,
  METHOD_STARTS,
  paperPreset,
  recommendedPreset,
} from '../../src/fuse/fusion-config.ts';
import { cell } from './entry-markdown.ts';
import type { ApiField } from './read-entry.ts';

const INTRODUCTION = `## Config

What \`config\` may say: \`preset\` (\`recommended\`, \`graph\` or \`paper\`), and any of these fields where it differs from the preset. A value that
breaks its rule is refused with [\`F3_ARGUMENT\`](../errors.md), and so is a field that would do nothing beside the others.`;

/** `fields`: those of `FusionConfig`, with the comments that stand beside them. */
export function configTable(fields: readonly ApiField[]): string {
  const rows = (Object.keys(fusionConfigSchema.shape) as FusionField[]).map((field) => {
    const { description = '' } = fusionConfigSchema.shape[field];
    const { purpose = '' } = fields.find(({ name }) => name === field) ?? {};
    const only = fieldPurposes(field).map(({ field: other, values }) => `${other} ${values.join(', ')}`);
    const values = [recommendedPreset[field], graphPreset[field], paperPreset[field]].map((value) => `\`${value}\``);
    const cells = [sentences(description, purpose), fusionFieldRule(field), ...values, only.join('; ')];
    return `| \`${field}\` | ${cells.map(cell).join(' | ')} |`;
  });
  const head = ['| field | what | may be | recommended | graph | paper | only for |', '|---|---|---|---|---|---|---|'];
  return [INTRODUCTION, [...head, ...rows].join('\n'), ...methodStarts()].join('\n\n');
}

/** The short description, and behind it what the comment adds: a symbol of the paper, or sentences. */
function sentences(description: string, comment: string): string {
  if (comment.length === 1) return `${description} (${comment})`;
  return comment === '' ? description : `${description}. ${comment}`;
}

/** Where a method starts from other values than the presets have. */
function methodStarts(): string[] {
  return Object.entries(METHOD_STARTS).map(([method, start]) => {
    const values = Object.entries(start).map(([field, value]) => `\`${field}: ${value}\``);
    return `Under any preset \`method: '${method}'\` starts from ${values.join(' and ')}.`;
  });
}
