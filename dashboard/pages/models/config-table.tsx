// What the models were made with and from: of two models only what differs.
import type { JSX } from 'preact';
import type { ModelDetails } from '../../../src/exchange/messages.ts';
import { counted } from '../../words/numbers.ts';
import type { Compared } from './comparison.tsx';

export function ConfigTable({ models }: { models: Compared[] }): JSX.Element {
  const all = models.map(({ details }) => (details ? rowsOf(details) : {}));
  if (models.some(({ details }) => !details)) return <p class="loading">Loading cards …</p>;
  const names = [...new Set(all.flatMap((rows) => Object.keys(rows)))];
  // Of one model the versions of all bundles would be a list of all owners.
  const shown =
    all.length === 1
      ? names.filter((name) => !name.startsWith('bundle of '))
      : names.filter((name) => all[0][name] !== all[1][name]);
  if (shown.length === 0)
    return <p>They were trained with the same configuration, from the same bundles and labels.</p>;
  if (all.length === 1) {
    return (
      <dl class="settings">
        {shown.map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{all[0][name]}</dd>
          </div>
        ))}
      </dl>
    );
  }
  return (
    <table class="stacks">
      <caption>Configuration and origin</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          {models.map(({ name, colour }) => (
            <th key={name} scope="col">
              <span class={`key c${colour}`} /> {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {models.map((model, at) => (
              <td key={model.name} data-label={model.name}>
                <span>{all[at][name] ?? '–'}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function rowsOf({ config, ensemble, model, owners, samples, classes }: ModelDetails): Record<string, string> {
  const rows: Record<string, string> = {
    'asked by': model.requestedBy ?? '–',
    labels: model.labels ? `version ${model.labels}` : '–',
    owners: counted(owners.length, 'owner'),
    samples: Object.entries(samples)
      .map(([part, count]) => `${part} ${count}`)
      .join(', '),
    classes: classes.join(', '),
    ...(ensemble && { ensemble: `${ensemble.members.length} models as one; the first one’s fields are shown` }),
  };
  for (const [owner, version] of Object.entries(model.bundles)) rows[`bundle of ${owner}`] = `version ${version}`;
  for (const [field, value] of Object.entries(config))
    rows[field] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return rows;
}
