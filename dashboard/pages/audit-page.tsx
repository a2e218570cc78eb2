// The audit log: who did what and when, in sentences, the newest first.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { auditSentence } from '../../src/cli/federation/audit-sentence.ts';
import type { AuditEntry } from '../../src/exchange/messages.ts';
import { returns } from '../coordinator/connection.ts';
import { ask, inFederation, Refusal } from '../coordinator/request.ts';
import { Command } from '../parts/copy-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Notice, RefusalNotice } from '../parts/notice.tsx';
import { PageHead } from '../parts/panel.tsx';
import { counted } from '../words/numbers.ts';
import { Time } from '../words/times.tsx';

const PAGE = 1000;
/** The log is told oldest first, so the page reads all of it; of a longer one the command writes a file. */
const MOST = 20_000;

export function AuditPage({ federation }: { federation: string }): JSX.Element {
  const [entries, setEntries] = useState<AuditEntry[]>();
  const [refusal, setRefusal] = useState<Refusal>();
  const generation = returns.value;
  useEffect(() => {
    const ending = new AbortController();
    readAll(federation, ending.signal, setEntries).catch((error) => {
      if (error instanceof Refusal) setRefusal(error);
    });
    return () => ending.abort();
  }, [federation, generation]);
  if (refusal) return <RefusalNotice refusal={refusal} />;
  return (
    <>
      <PageHead title="Audit log">
        {entries &&
          `${counted(entries.length, 'entry', 'entries')}, chained and signed: nothing can be changed, taken out or put in another order unseen.`}
      </PageHead>
      {entries && entries.length >= MOST && (
        <Notice title={`The first ${counted(MOST, 'entry', 'entries')} are shown`}>
          <Command line={`f3 federation audit ${federation} --export audit.jsonl`} />
        </Notice>
      )}
      {!entries ? (
        <p class="loading">Loading the audit log …</p>
      ) : (
        <DataTable
          caption={`Audit log of ${federation}`}
          rows={entries}
          keyOf={({ id }) => id}
          textOf={(entry) => `${entry.actor} ${entry.action} ${auditSentence(entry)}`}
          sort="-Number"
          columns={[
            {
              name: 'Number',
              cell: ({ number, id }) => number ?? id,
              by: ({ number, id }) => number ?? id,
              isNumber: true,
            },
            { name: 'When', cell: ({ at }) => <Time at={at} of="exact" />, by: ({ at }) => at },
            { name: 'Who', cell: ({ actor }) => actor ?? '–', by: ({ actor }) => actor, isName: true },
            { name: 'What', cell: (entry) => auditSentence(entry) },
            { name: 'From', cell: ({ address }) => address ?? '–', by: ({ address }) => address },
          ]}
        />
      )}
      <p class="faint">
        To check the chain and its signatures, from a machine that you trust:{' '}
        <Command line={`f3 federation audit ${federation} --verify`} />
      </p>
    </>
  );
}

async function readAll(
  federation: string,
  signal: AbortSignal,
  onEntries: (entries: AuditEntry[]) => void,
): Promise<void> {
  const path = inFederation(federation, 'audit');
  const all: AuditEntry[] = [];
  for (let after = 0; all.length < MOST; after = all[all.length - 1].id) {
    const { entries } = await ask<{ entries: AuditEntry[] }>(`${path}?after=${after}&limit=${PAGE}`, { signal });
    all.push(...entries);
    onEntries([...all]);
    if (entries.length < PAGE) return;
  }
}
