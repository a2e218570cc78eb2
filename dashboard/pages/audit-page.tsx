// The audit log: who did what and when, in sentences, the newest first; older entries are asked for page by page.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { auditSentence } from '../../src/cli/federation/audit-sentence.ts';
import type { AuditEntry } from '../../src/exchange/messages.ts';
import { isAttended, returns } from '../coordinator/connection.ts';
import { ask, inFederation, Refusal } from '../coordinator/request.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Command } from '../parts/copy-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { RefusalNotice } from '../parts/notice.tsx';
import { PageHead } from '../parts/panel.tsx';
import { counted, shownCount } from '../words/numbers.ts';
import { Time, ZONE } from '../words/times.tsx';

const PAGE = 200;
/** How often new entries are asked for. */
const NEWS_MS = 5000;

export function AuditPage({ federation }: { federation: string }): JSX.Element {
  const { entries, refusal, older } = useAudit(federation);
  if (refusal) return <RefusalNotice refusal={refusal} />;
  if (!entries) return <p class="loading">Loading the audit log …</p>;
  const all = Number(entries[0]?.number ?? entries.length);
  const left = all - entries.length;
  return (
    <>
      <PageHead title="Audit log">
        {counted(all, 'entry', 'entries')}, chained and signed: nothing can be changed, taken out or put in another
        order unseen.
      </PageHead>
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
          { name: `When (${ZONE})`, cell: ({ at }) => <Time at={at} of="date" />, by: ({ at }) => at },
          { name: 'Who', cell: ({ actor }) => actor ?? '–', by: ({ actor }) => actor, isName: true },
          { name: 'What', cell: (entry) => auditSentence(entry) },
          { name: 'From', cell: ({ address }) => address ?? '–', by: ({ address }) => address },
        ]}
      />
      {left > 0 && (
        <p class="more">
          <ActButton act={older}>{`Load ${shownCount(Math.min(PAGE, left))} older`}</ActButton>{' '}
          <span class="faint">
            The newest {shownCount(entries.length)} of {shownCount(all)} are here; only those are found and sorted.
          </span>
        </p>
      )}
      <p class="faint">
        The whole log as a file, and the check of its chain and signatures from a machine that you trust:{' '}
        <Command line={`f3 federation audit ${federation} --export ${federation}.audit`} />{' '}
        <Command line={`f3 federation audit ${federation} --verify`} />
      </p>
    </>
  );
}

interface AuditPages {
  /** The newest first. */
  entries: AuditEntry[] | undefined;
  refusal: Refusal | undefined;
  older(): Promise<void>;
}

function useAudit(federation: string): AuditPages {
  const [entries, setEntries] = useState<AuditEntry[]>();
  const [refusal, setRefusal] = useState<Refusal>();
  const known = useRef<AuditEntry[]>([]);
  const show = (all: AuditEntry[]): void => {
    known.current = all;
    setEntries(all);
  };
  const read = async (page: string, signal?: AbortSignal): Promise<AuditEntry[]> =>
    (await ask<{ entries: AuditEntry[] }>(`${inFederation(federation, 'audit')}?limit=${PAGE}${page}`, { signal }))
      .entries;
  const generation = returns.value;
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        const newest = known.current[0]?.id;
        if (newest === undefined) show(await read('&order=newest', ending.signal));
        else if (isAttended()) {
          const news = await read(`&after=${newest}`, ending.signal);
          if (news.length > 0) show([...news.reverse(), ...known.current]);
        }
      } catch (error) {
        if (error instanceof Refusal) setRefusal(error);
        // Anything else: the coordinator is away, and its return starts this effect again.
        return;
      }
      timer = setTimeout(look, NEWS_MS);
    };
    void look();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [federation, generation]);
  const older = async (): Promise<void> => {
    const last = known.current.at(-1)?.id;
    const more = await read(`&order=newest&before=${last}`);
    show([...known.current, ...more]);
  };
  return { entries, refusal, older };
}
