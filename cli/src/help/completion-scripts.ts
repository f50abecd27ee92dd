import type { Command } from 'commander';
import { allNodes, commandTree, kindOf, spellings, takesValue, type CommandNode } from './command-tree';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/**
 * The script that completes `deck` in a shell. It holds the names of the commands, options and choices, so that only
 * the completion of a deck, a link or a profile starts Node. `help` completes as the commands that it shows.
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

/** One case for each option with a value: its choices, values that the client knows, or nothing. */
function valueCases(nodes: readonly CommandNode[], complete: (choices: string[]) => string): string {
  const cases = nodes.flatMap(({ path, options }) =>
    options.filter(takesValue).map((option) => {
      const patterns = spellings(option).map((each) => quoted(`${path} ${each}`));
      const kind = kindOf(option);
      const known = kind === undefined ? 'return' : `${callsOf([kind])}return`;
      return `    ${patterns.join('|')}) ${option.argChoices ? complete(option.argChoices) : known} ;;`;
    }),
  );
  return cases.join('\n');
}

/** The calls that complete values of these kinds, for bash and zsh. */
const callsOf = (kinds: CommandNode['values']) => kinds.map((kind) => `_deck_values ${kind}; `).join('');

function bash(nodes: readonly CommandNode[]): string {
  const words = nodes.map(({ path, options, commands, choices, values, takesFiles }) => {
    const names = [...commands.map(({ name }) => name), ...choices, ...options.flatMap(spellings)];
    return `    ${quoted(path)}) words=${listOf(names)}${values.length > 0 ? ` values=${quoted(values.join(' '))}` : ''}${takesFiles ? ' files=yes' : ''} ;;`;
  });
  // A value is quoted and never expanded: the names of links are texts of people.
  return `# The completion of deck for bash. In ~/.bashrc: eval "$(deck completion bash)"
_deck_values() {
  local value i named=()
  for ((i = 1; i < COMP_CWORD - 1; i++)); do
    [[ \${COMP_WORDS[i]} == --deck ]] && named=(--deck "\${COMP_WORDS[i + 1]}")
  done
  while IFS=$'\\t' read -r value _; do
    [[ -n $value && $value == "$current"* ]] && COMPREPLY+=("$(printf %q "$value")")
  done < <(deck complete "$1" "\${named[@]}" 2>/dev/null)
}
_deck() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} at=deck
  local word words='' values='' files=''
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD - 1}")
${findCommand(nodes)}
  case "$at $previous" in
${valueCases(nodes, (choices) => `COMPREPLY=($(compgen -W ${listOf(choices)} -- "$current")); return`)}
  esac
  case "$at" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ $current != -* ]]; then
    for word in $values; do _deck_values "$word"; done
  fi
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
  const cases = nodes.map(({ path, options, commands, choices, values, takesFiles }) => {
    const names = [...commands.map(({ name, description }) => described(name, description)), ...choices.map(quoted)];
    const flags = options.flatMap((option) => spellings(option).map((each) => described(each, option.description)));
    return `    ${quoted(path)})
      commands=(${names.join(' ')})
      options=(${flags.join(' ')})${values.length > 0 ? `\n      values=(${values.join(' ')})` : ''}${takesFiles ? '\n      files=yes' : ''} ;;`;
  });
  return `#compdef deck
# The completion of deck for zsh. In ~/.zshrc, after compinit: eval "$(deck completion zsh)"
_deck_values() {
  local line at=\${words[(I)--deck]}
  local -a named pairs
  (( at && at < CURRENT - 1 )) && named=(--deck "\${(Q)words[at + 1]}")
  for line in "\${(@f)$(deck complete $1 $named 2>/dev/null)}"; do
    [[ -n $line ]] && pairs+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( $#pairs )) && _describe $1 pairs
}
_deck() {
  local at=deck word files=''
  local -a before commands options values
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
  for word in $values; do _deck_values $word; done
  [[ -n $files ]] && _files
  return 0
}
if [[ $funcstack[1] == _deck ]]; then _deck "$@"; else compdef _deck deck; fi
`;
}

/** A text within single quotes of fish. */
const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap(({ path, options, commands, choices, values: known, takesFiles }) => {
    const rule = `complete -c deck -n ${fishQuoted(`test (__deck_at) = ${fishQuoted(path)}`)}`;
    return [
      ...commands.map(({ name, description }) => `${rule} -f -a ${name} -d ${fishQuoted(description)}`),
      ...choices.map((choice) => `${rule} -f -a ${choice}`),
      ...known.map((kind) => `${rule} -f -a ${fishQuoted(`(__deck_values ${kind})`)}`),
      ...(takesFiles ? [`${rule} -F`] : []),
      ...options.map((option) => {
        const { long, short, argChoices, description } = option;
        const names = `${long ? ` -l ${long.slice(2)}` : ''}${short ? ` -s ${short.slice(1)}` : ''}`;
        const kind = kindOf(option);
        const offered = argChoices?.join(' ') ?? (kind && `(__deck_values ${kind})`);
        const values = offered ? ` -x -a ${fishQuoted(offered)}` : takesValue(option) ? ' -x' : '';
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
function __deck_values
  set -l words (commandline -opc)
  set -l named
  if set -l at (contains -i -- --deck $words)
    set named --deck $words[(math $at + 1)]
  end
  deck complete $argv $named 2>/dev/null
end
complete -c deck -f
${lines.join('\n')}
`;
}
