// `f3 federation show`: shows a federation on one page: classes, owners, labels, models, trainings, open invitations.
import { Command } from 'commander';
import { errorCode } from '../../errors.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { FederationShares, FederationStatus, ListedModel } from '../../exchange/messages.ts';
import { printResult } from '../run-command.ts';
import { factLines, indented, type TextColumn, tableLines } from '../terminal/table.ts';
import { entitiesSection } from './entities-section.ts';
import { invitationColumns } from './invitations.ts';
import { addOperatorOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from './member-client.ts';
import { modelColumns } from './models.ts';
import { quotaColumns } from './quotas.ts';
import { ownerColumns, trainingColumns } from './status.ts';
import { waitingReason } from './watch-training.ts';

interface Options extends MemberOptions {
  all?: boolean;
  json?: boolean;
}

const OWNERS_SHOWN = 20;

export function showCommand(): Command {
  const command = new Command('show')
    .description('the federation on one page: owners, labels, models, trainings under way')
    .argument('[federation]', FEDERATION_TEXT);
  return addOperatorOptions(command)
    .option(
      '--all',
      `list every owner and every model, not the first ${OWNERS_SHOWN} owners and the models that matter`,
    )
    .option('--json', 'print one line of JSON')
    .action(async (named: string | undefined, options: Options) => {
      const { client, federation } = await operatorPlace(named, options);
      const status = await client.status(federation);
      // An owner sees its own entry, and no models.
      const models = status.models ? await client.models(federation) : undefined;
      const shares =
        status.charter === undefined ? undefined : await sharesOf(client, federation, models !== undefined);
      const page = showPage(status, models, { all: options.all ?? false, origin: client.connection.origin, shares });
      printResult({ ...status, ...(models && { models }), ...(shares && { shares }) }, page, options.json);
    });
}

/** Only operators see how entities stand; others see the charter. */
async function sharesOf(
  client: CoordinatorClient,
  federation: string,
  mayCheck: boolean,
): Promise<FederationShares | undefined> {
  const { federationShares } = await import('../../exchange/client/federation-shares.ts');
  if (!mayCheck) return federationShares(client, federation);
  return federationShares(client, federation, { check: true }).catch((error: unknown) => {
    if (errorCode(error) === 'F3_AUTH_FORBIDDEN') return federationShares(client, federation);
    throw error;
  });
}

function showPage(
  status: FederationStatus,
  models: readonly ListedModel[] | undefined,
  { all, origin, shares }: { all: boolean; origin: string; shares: FederationShares | undefined },
): string {
  const { name, owners, invitations = [], trainings = [], quotas = [], workers } = status;
  const underWay = trainings.filter(({ state }) => state === 'queued' || state === 'running');
  const shown = all ? owners : owners.slice(0, OWNERS_SHOWN);
  const hidden = owners.length - shown.length;
  const waits = underWay.some(({ state }) => state === 'queued') && typeof workers === 'number';
  return [
    `federation ${name} at ${origin}`,
    ...indented(facts(status)),
    ...section('owners', shown, ownerColumns(false, shown)),
    ...(hidden > 0 ? [`  … ${hidden} more (--all lists them)`] : []),
    ...(models ? modelSection(models, all) : []),
    ...section('trainings under way', underWay, trainingColumns(false)),
    ...(waits ? [`  ${waitingReason(workers)}`] : []),
    ...(shares ? entitiesSection(shares) : []),
    ...section('open invitations', invitations, invitationColumns),
    ...section('quotas', quotas, quotaColumns),
  ].join('\n');
}

function facts({ classes, counts, owners, labelHolders, activeModel, workers }: FederationStatus): string[] {
  const sent = counts?.bundles ?? owners.filter(({ bundle }) => bundle).length;
  const holders = labelHolders?.map(({ owner, labels }) => (labels ? `${owner} (${labels.samples} samples)` : owner));
  return factLines([
    ['classes', classes?.join(', ') ?? 'as labelled'],
    ['owners', `${counts?.owners ?? owners.length}, ${sent} with a bundle`],
    ['labels', counts && (counts.labels ? `version ${counts.labels}` : 'none yet')],
    ['label holder', holders && (holders.join('; ') || 'nobody has joined')],
    ['active model', activeModel ?? 'none'],
    ['workers', typeof workers === 'number' ? workers : undefined],
  ]);
}

/** Shows the active model and newer candidates, among which an operator decides; the others were decided on before. */
function modelSection(models: readonly ListedModel[], all: boolean): string[] {
  const active = models.find(({ state }) => state === 'active')?.version ?? 0;
  const undecided = models.filter(
    ({ state, version }) => state === 'active' || (state === 'candidate' && version > active),
  );
  const shown = all ? models : undecided;
  const hidden = models.length - shown.length;
  return [
    ...section('models', shown, modelColumns()),
    ...(hidden > 0 ? [`  … ${hidden} older or former (--all lists them)`] : []),
  ];
}

function section<Row>(title: string, rows: readonly Row[], columns: TextColumn<Row>[]): string[] {
  return rows.length > 0 ? ['', title, ...indented(tableLines(columns, rows))] : [];
}
