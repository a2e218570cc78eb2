// Open invitations, and a new one: its code is shown this once, with a button that copies the command to join.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Invitation, OpenInvitation, Role } from '../../../src/exchange/messages.ts';
import { ask, inFederation } from '../../coordinator/request.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { roleWord } from '../../parts/menu.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../words/times.tsx';

interface InvitationsPanelProps {
  federation: string;
  invitations: OpenInvitation[];
  onChange(): void;
}

const HOURS = 168;
const joinLine = (code: string): string => `f3 owner join ${location.origin} --code ${code}`;

export function InvitationsPanel({ federation, invitations, onChange }: InvitationsPanelProps): JSX.Element {
  const [owner, setOwner] = useState('');
  const [role, setRole] = useState<Role>('owner');
  const [made, setMade] = useState<{ owner: string; line: string; expires: string }>();
  const invite = async (): Promise<void> => {
    const path = inFederation(federation, 'invitations');
    const { code, expires } = await ask<Invitation>(path, { method: 'POST', body: { owner, role, hours: HOURS } });
    setMade({ owner, line: joinLine(code), expires });
    setOwner('');
    onChange();
  };
  return (
    <Panel
      title="Invitations"
      remark="A code lets one member join, once. It is shown when it is made and never again, since only its hash is kept."
    >
      <form class="row" onSubmit={(event) => event.preventDefault()}>
        <label>
          Name
          <input
            value={owner}
            onInput={(event) => setOwner(event.currentTarget.value)}
            placeholder="plant-7"
            autoComplete="off"
          />
        </label>
        <label>
          Role
          <select value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
            <option value="owner">owner</option>
            <option value="labels">label holder</option>
            <option value="operator">operator</option>
          </select>
        </label>
        <ActButton act={invite} disabled={owner.trim() === ''}>
          Invite
        </ActButton>
      </form>
      {made && (
        <div class="made" role="status">
          <p>
            Send this to {made.owner} over a way you trust; it is good until <Time at={made.expires} of="exact" />.
          </p>
          <pre>
            <code>{made.line}</code>
          </pre>
          <CopyButton text={made.line} name="Copy the command" />
        </div>
      )}
      {invitations.length > 0 && (
        <DataTable
          caption="Open invitations"
          rows={invitations}
          keyOf={({ id }) => id}
          textOf={({ owner: name }) => name}
          columns={[
            { name: 'Name', cell: ({ owner: name }) => name, by: ({ owner: name }) => name, isName: true },
            { name: 'Role', cell: (one) => roleWord(one.role) },
            { name: 'Made', cell: ({ created }) => <Time at={created} />, by: ({ created }) => created },
            {
              name: 'Ends',
              cell: ({ expires, expired }) => (expired ? <Badge tone="warn">expired</Badge> : <Time at={expires} />),
              by: ({ expires }) => expires,
            },
            {
              name: 'Action',
              cell: ({ id, owner: name }) => (
                <ActButton
                  class="small"
                  label={`Cancel the invitation of ${name}`}
                  confirm={`Cancel the invitation of ${name}?`}
                  act={async () => {
                    await ask(inFederation(federation, 'invitations', id, 'cancel'), { method: 'POST' });
                    onChange();
                  }}
                >
                  Cancel
                </ActButton>
              ),
            },
          ]}
        />
      )}
    </Panel>
  );
}
