// `f3 federation compare`: shows two models side by side: scores, configuration, and what each learned from.
import { Command } from 'commander';
import type { ModelDetails } from '../../exchange/messages.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { tableLines } from '../terminal/table.ts';
import { addOperatorOptions, type MemberOptions, operatorClient } from './member-client.ts';
import { scoreComparison } from './score-comparison.ts';

/** A property that differs between the two models. */
interface Difference {
  name: string;
  first: unknown;
  second: unknown;
}

export function compareCommand(): Command {
  const command = new Command('compare')
    .description('scores, configuration and inputs of two models side by side')
    .argument('<federation>')
    .argument('<first>', 'version of a model, as in f3 federation models', integerFrom(1))
    .argument('<second>', 'version of another', integerFrom(1));
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON')
    .action(async (federation: string, first: number, second: number, options: MemberOptions & { json?: boolean }) => {
      const client = await operatorClient(federation, options);
      const models = [await client.model(federation, first), await client.model(federation, second)] as const;
      const compared = compareModels(...models);
      printResult({ models, ...compared }, comparisonText(...models, compared), options.json);
    });
}

interface Compared {
  /** Whether both models were validated on the same samples with the same labels. */
  sameValidation: boolean;
  config: Difference[];
  inputs: Difference[];
}

function compareModels(first: ModelDetails, second: ModelDetails): Compared {
  const sameValidation = first.validatedOn !== undefined && first.validatedOn === second.validatedOn;
  const inputs = differences(inputsOf(first), inputsOf(second));
  return { sameValidation, config: differences(first.config, second.config), inputs };
}

/** What a model learned from, labels, classes and bundles, by the name that the table shows. */
function inputsOf({ model: { labels, bundles }, classes, owners }: ModelDetails): Record<string, unknown> {
  const version = (owner: string) => (bundles[owner] === undefined ? 'there' : `version ${bundles[owner]}`);
  return {
    labels: labels === null ? undefined : `version ${labels}`,
    classes: classes.join(', '),
    ...Object.fromEntries(owners.map(({ owner }) => [`bundle of ${owner}`, version(owner)])),
  };
}

function differences(first: Record<string, unknown>, second: Record<string, unknown>): Difference[] {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return names
    .map((name) => ({ name, first: first[name], second: second[name] }))
    .filter((one) => JSON.stringify(one.first) !== JSON.stringify(one.second));
}

function comparisonText(
  first: ModelDetails,
  second: ModelDetails,
  { sameValidation, config, inputs }: Compared,
): string {
  const versions = [first.model.version, second.model.version] as const;
  const scored = [first, second].map((model) => ({ ...model, ...model.model }));
  const same = sameValidation
    ? 'both were validated on the same samples with the same labels'
    : 'they were validated on other samples or labels: do not compare their scores as if they were of one test';
  return [
    ...scoreComparison(scored),
    same,
    ...section('configuration', config, versions),
    ...section('learned from', inputs, versions),
  ].join('\n');
}

function section(title: string, found: Difference[], [first, second]: readonly [number, number]): string[] {
  if (found.length === 0) return ['', `${title}: the same`];
  const text = (value: unknown) => (value === undefined ? undefined : String(value));
  const columns = [
    { title, cell: ({ name }: Difference) => name },
    { title: `model ${first}`, cell: (one: Difference) => text(one.first) },
    { title: `model ${second}`, cell: (one: Difference) => text(one.second) },
  ];
  return ['', ...tableLines(columns, found)];
}
