// The completion script for zsh: a file _f3 in a folder of fpath, or read with `source`.
import type { CommandNode, OptionNode, Value } from './command-tree.ts';

export function zshCompletion(name: string, nodes: readonly CommandNode[]): string {
  const nodeCases = nodes.map(({ path, commands, options, values }) => {
    const words = commands.map((command) => entry(command.name, command.about));
    const flags = options.flatMap(({ long, short, about }) =>
      [long, short].filter((flag) => flag !== undefined).map((flag) => entry(flag, about)),
    );
    return `    ${quoted(path)})
      commands=(${words.join(' ')})
      options=(${flags.join(' ')})
      operand=${quoted(operandOf(values))} ;;`;
  });
  const valueCases = nodes.flatMap(({ path, options }) => options.flatMap((option) => valueCasesOf(path, option)));
  return `#compdef ${name}
# zsh completion for ${name}; written by \`${name} completion zsh\`
_${name}_node() {
  commands=() options=() operand=''
  case "$1" in
${nodeCases.join('\n')}
  esac
}

_${name}_value() {
  value=''
  case "$1" in
${valueCases.join('\n')}
  esac
}

_${name}_fill() {
  case "$1" in
    @file) _files ;;
    @folder) _files -/ ;;
    *) compadd -- \${=1} ;;
  esac
}

_${name}() {
  local place='' before="\${words[CURRENT-1]}" operand value
  local -a commands options
  integer i
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    before="\${words[CURRENT]%%=*}"
    compset -P '*='
  fi
  _${name}_node ''
  for ((i = 2; i < CURRENT; i++)); do
    if (( \${commands[(I)\${words[i]}:*]} )); then
      place="\${place:+$place }\${words[i]}"
      _${name}_node "$place"
    fi
  done
  _${name}_value "\${place:+$place }$before"
  if [[ -n "$value" ]]; then
    [[ "$value" == '@any' ]] || _${name}_fill "$value"
  elif [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o option options
  elif (( \${#commands} )); then
    _describe command commands
  elif [[ -n "$operand" ]]; then
    _${name}_fill "$operand"
  fi
}

if [[ "\${funcstack[1]}" == "_${name}" ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`;
}

const valueCasesOf = (path: string, { long, short, value }: OptionNode): string[] =>
  value === undefined
    ? []
    : [long, short]
        .filter((flag) => flag !== undefined)
        .map((flag) => `    ${quoted(`${path} ${flag}`.trim())}) value=${quoted(valueText(value))} ;;`);

const valueText = (value: Value): string => (typeof value === 'string' ? `@${value}` : value.join(' '));

/** Which argument the cursor is at is not counted: the first kind that can be completed serves all. */
function operandOf(values: readonly Value[]): string {
  const found = values.find((value) => value !== 'any');
  return found === undefined ? '' : valueText(found);
}

/** A colon ends the name of an entry. */
const entry = (name: string, about: string): string =>
  quoted(`${name.replaceAll(':', '\\:')}:${about.replaceAll(':', '\\:')}`);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
