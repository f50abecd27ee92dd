import type { Command } from 'commander';
import { allNodes, commandTree, spellings, takesValue, type CommandNode } from './command-tree';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/**
 * The script that completes `deck` in a shell. It holds the names of the commands, options and choices, so that a
 * completion does not start Node. `help` completes as the commands that it shows.
 */
export function completionScript(shell: Shell, deck: Command): string {
  const nodes = allNodes(commandTree(deck)).map((node) =>
    node.path === 'deck help' ? withCommands(node, deck) : node,
  );
  return { bash, zsh, fish }[shell](nodes);
}

const withCommands = (node: CommandNode, deck: Command) => ({
  ...node,
  commands: commandTree(deck).commands.map((each) => ({ ...each, commands: [] })),
});

/** Any text as one word of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const listOf = (words: readonly string[]) => quoted(words.join(' '));

/** The lines that set `at` to the words of the command that is being typed, for bash and zsh. */
function findCommand(nodes: readonly CommandNode[]): string {
  const paths = nodes.slice(1).map(({ path }) => `    ${quoted(path)}) at=${quoted(path)} ;;`);
  return `  for word in "\${before[@]}"; do\n    case "$at $word" in\n${paths.join('\n')}\n    esac\n  done`;
}

/** One case for each option with a value: its choices, or nothing that could be completed. */
function valueCases(nodes: readonly CommandNode[], complete: (choices: string[]) => string): string {
  const cases = nodes.flatMap(({ path, options }) =>
    options.filter(takesValue).map((option) => {
      const patterns = spellings(option).map((each) => quoted(`${path} ${each}`));
      return `    ${patterns.join('|')}) ${option.argChoices ? complete(option.argChoices) : 'return'} ;;`;
    }),
  );
  return cases.join('\n');
}

function bash(nodes: readonly CommandNode[]): string {
  const words = nodes.map(({ path, options, commands, choices, takesFiles }) => {
    const names = [...commands.map(({ name }) => name), ...choices, ...options.flatMap(spellings)];
    return `    ${quoted(path)}) words=${listOf(names)}${takesFiles ? ' files=yes' : ''} ;;`;
  });
  return `# The completion of deck for bash. In ~/.bashrc: eval "$(deck completion bash)"
_deck() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} at=deck word words='' files=''
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD - 1}")
${findCommand(nodes)}
  case "$at $previous" in
${valueCases(nodes, (choices) => `COMPREPLY=($(compgen -W ${listOf(choices)} -- "$current")); return`)}
  esac
  case "$at" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files && $current != -* ]]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -F _deck deck
`;
}

/** `name:description` for _describe of zsh. */
const described = (name: string, description: string) => quoted(`${name}:${description}`);

function zsh(nodes: readonly CommandNode[]): string {
  const cases = nodes.map(({ path, options, commands, choices, takesFiles }) => {
    const names = [...commands.map(({ name, description }) => described(name, description)), ...choices.map(quoted)];
    const flags = options.flatMap((option) => spellings(option).map((each) => described(each, option.description)));
    return `    ${quoted(path)})
      commands=(${names.join(' ')})
      options=(${flags.join(' ')})${takesFiles ? '\n      files=yes' : ''} ;;`;
  });
  return `#compdef deck
# The completion of deck for zsh. In ~/.zshrc, after compinit: eval "$(deck completion zsh)"
_deck() {
  local at=deck word files=''
  local -a before commands options
  before=("\${(@)words[2,CURRENT - 1]}")
${findCommand(nodes)}
  case "$at $words[CURRENT - 1]" in
${valueCases(nodes, (choices) => `compadd -- ${choices.map(quoted).join(' ')}; return`)}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
    return
  fi
  (( $#commands )) && _describe command commands
  [[ -n $files ]] && _files
  return 0
}
if [[ $funcstack[1] == _deck ]]; then _deck "$@"; else compdef _deck deck; fi
`;
}

/** A text within single quotes of fish. */
const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap(({ path, options, commands, choices, takesFiles }) => {
    const rule = `complete -c deck -n ${fishQuoted(`test (__deck_at) = ${fishQuoted(path)}`)}`;
    return [
      ...commands.map(({ name, description }) => `${rule} -f -a ${name} -d ${fishQuoted(description)}`),
      ...choices.map((choice) => `${rule} -f -a ${choice}`),
      ...(takesFiles ? [`${rule} -F`] : []),
      ...options.map((option) => {
        const { long, short, argChoices, description } = option;
        const names = `${long ? ` -l ${long.slice(2)}` : ''}${short ? ` -s ${short.slice(1)}` : ''}`;
        const values = argChoices ? ` -x -a ${fishQuoted(argChoices.join(' '))}` : takesValue(option) ? ' -x' : '';
        return `${rule}${names}${values} -d ${fishQuoted(description)}`;
      }),
    ];
  });
  const paths = nodes.slice(1).map(({ path }) => fishQuoted(path));
  return `# The completion of deck for fish. In ~/.config/fish/config.fish: deck completion fish | source
function __deck_at
  set -l at deck
  for word in (commandline -opc)[2..]
    contains -- "$at $word" ${paths.join(' ')}; and set at "$at $word"
  end
  echo $at
end
complete -c deck -f
${lines.join('\n')}
`;
}
