// The completion script for bash, from version 3.2 on (macOS) and without the package bash-completion.
import type { CommandNode, Value } from './command-tree.ts';

export function bashCompletion(name: string, nodes: readonly CommandNode[]): string {
  const nodeCases = nodes.map(({ path, commands, options, values }) => {
    const words = commands.map((command) => command.name).join(' ');
    const flags = options.flatMap(({ long, short }) => [long, short].filter((flag) => flag !== undefined)).join(' ');
    return `    ${quoted(path)}) commands=${quoted(words)} options=${quoted(flags)} operand=${quoted(operandOf(values))} ;;`;
  });
  const valueCases = nodes.flatMap(({ path, options }) =>
    options.flatMap(({ long, short, value }) =>
      value === undefined
        ? []
        : [long, short]
            .filter((flag) => flag !== undefined)
            .map((flag) => `    ${quoted(`${path} ${flag}`.trim())}) value=${quoted(valueText(value))} ;;`),
    ),
  );
  return `# bash completion for ${name}; written by \`${name} completion bash\`
_${name}_node() {
  commands='' options='' operand=''
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
  local IFS=$'\\n'
  case "$1" in
    @file) COMPREPLY=($(compgen -f -- "$2")) ;;
    @folder) COMPREPLY=($(compgen -d -- "$2")) ;;
    *) IFS=$' \\n'; COMPREPLY=($(compgen -W "$1" -- "$2")) ; return ;;
  esac
  compopt -o filenames 2> /dev/null # bash 3.2 has none
  return 0
}

_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place='' i
  local commands options operand value
  COMPREPLY=()
  # bash takes --option=value for three words.
  if [ "$current" = '=' ]; then current=''; elif [ "$before" = '=' ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  _${name}_node ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    case " $commands " in
      *" \${COMP_WORDS[i]} "*) place="\${place:+$place }\${COMP_WORDS[i]}"; _${name}_node "$place" ;;
    esac
  done
  _${name}_value "\${place:+$place }$before"
  if [ -n "$value" ]; then
    [ "$value" = '@any' ] || _${name}_fill "$value" "$current"
  elif [ "\${current:0:1}" = '-' ]; then
    _${name}_fill "$options" "$current"
  elif [ -n "$commands" ]; then
    _${name}_fill "$commands" "$current"
  elif [ -n "$operand" ]; then
    _${name}_fill "$operand" "$current"
  fi
  return 0
}

complete -F _${name} ${name}
`;
}

const valueText = (value: Value): string => (typeof value === 'string' ? `@${value}` : value.join(' '));

/** Which argument the cursor is at is not counted: the first kind that can be completed serves all. */
function operandOf(values: readonly Value[]): string {
  const found = values.find((value) => value !== 'any');
  return found === undefined ? '' : valueText(found);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
