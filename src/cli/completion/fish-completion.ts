// The completion script for fish: a file f3.fish in a folder of fish_complete_path.
import type { CommandNode, OptionNode, Value } from './command-tree.ts';

export function fishCompletion(name: string, nodes: readonly CommandNode[]): string {
  const groups = nodes.filter(({ commands }) => commands.length > 0);
  const cases = groups.map(
    ({ path, commands }) => `        case ${quoted(path)}
            set commands ${commands.map((command) => command.name).join(' ')}`,
  );
  const lines = nodes.flatMap(({ path, commands, options, values }) => {
    const here = `complete -c ${name} -n ${quoted(`__${name}_at ${quoted(path)}`)}`;
    return [
      ...commands.map((command) => `${here} -a ${command.name} -d ${quoted(command.about)}`),
      ...options.map((option) => `${here} ${optionText(option)}`),
      ...values.filter((value) => value !== 'any').map((value) => `${here} ${valueText(value)}`),
    ];
  });
  return `# fish completion for ${name}; written by \`${name} completion fish\`
function __${name}_commands
    set -l commands
    switch "$argv"
${cases.join('\n')}
    end
    printf '%s\\n' $commands
end

function __${name}_at
    set -l place
    for word in (commandline -opc)[2..-1]
        if contains -- $word (__${name}_commands $place)
            set -a place $word
        end
    end
    test "$place" = "$argv"
end

complete -c ${name} -f
${lines.join('\n')}
`;
}

function optionText({ long, short, about, value }: OptionNode): string {
  return [
    ...(long ? [`-l ${long.slice(2)}`] : []),
    ...(short ? [`-s ${short.slice(1)}`] : []),
    `-d ${quoted(about)}`,
    // With -x, fish offers no files beside what is named.
    ...(value === undefined ? [] : [value === 'file' ? '-r' : '-x']),
    ...(value === undefined || value === 'any' ? [] : [valueText(value)]),
  ].join(' ');
}

function valueText(value: Exclude<Value, 'any'>): string {
  if (value === 'file') return '-F';
  if (value === 'folder') return `-a '(__fish_complete_directories (commandline -ct))'`;
  return `-a ${quoted(value.join(' '))}`;
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
