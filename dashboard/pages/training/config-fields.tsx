// The fields of the configuration, as the schema of f3 names them: those that do something under the choices made so far.
import { FIELDS, type FormField, PRESETS } from 'f3:fusion-fields';
import type { JSX } from 'preact';

export type Changes = Record<string, string | number | boolean>;

interface ConfigFieldsProps {
  preset: string;
  changes: Changes;
  onChange(changes: Changes): void;
}

/** A preset that searches starts from the recommended one. */
const startOf = (preset: string): Record<string, unknown> =>
  (PRESETS as Record<string, Record<string, unknown>>)[preset] ?? PRESETS.recommended;

export function ConfigFields({ preset, changes, onChange }: ConfigFieldsProps): JSX.Element {
  const start = startOf(preset);
  const config = { ...start, ...changes };
  const useful = FIELDS.filter(({ purposes }) =>
    purposes.every(({ field, values }) => values.includes(String(config[field]))),
  );
  const change = (field: FormField, value: string | number | boolean): void => {
    const { [field.name]: _, ...others } = changes;
    onChange(value === start[field.name] ? others : { ...others, [field.name]: value });
  };
  return (
    <>
      <div class="fields">
        {useful.map((field) => (
          <label key={field.name} class={field.name in changes ? 'changed' : ''}>
            <span class="name">{field.name}</span>
            <Input field={field} value={config[field.name]} onChange={(value) => change(field, value)} />
            <span class="says">{field.description}</span>
          </label>
        ))}
      </div>
      {Object.keys(changes).length > 0 && (
        <button type="button" class="small" onClick={() => onChange({})}>
          Back to the preset
        </button>
      )}
    </>
  );
}

interface InputProps {
  field: FormField;
  value: unknown;
  onChange(value: string | number | boolean): void;
}

function Input({ field, value, onChange }: InputProps): JSX.Element {
  const { choices, type, minimum, maximum } = field;
  if (type === 'boolean') {
    return (
      <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
    );
  }
  if (choices) {
    return (
      <select value={String(value)} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  return (
    <input
      type="number"
      step={type === 'integer' ? 1 : 'any'}
      min={minimum}
      max={maximum ?? field.exclusiveMaximum}
      value={String(value)}
      onChange={(event) =>
        Number.isFinite(event.currentTarget.valueAsNumber) && onChange(event.currentTarget.valueAsNumber)
      }
    />
  );
}
