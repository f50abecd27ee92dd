import { Argument, Command } from 'commander';
import { completionScript, shells, type Shell } from '../help/completion-scripts';
import type { Terminal } from '../terminal';

const HELP = `
Add one line to the file that your shell reads at its start:
  ~/.bashrc                   eval "$(deck completion bash)"
  ~/.zshrc, after compinit    eval "$(deck completion zsh)"
  ~/.config/fish/config.fish  deck completion fish | source`;

export function completionCommand(terminal: Terminal): Command {
  return new Command('completion')
    .description('show the script with which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', HELP)
    .action((shell: Shell, _options, self: Command) => {
      terminal.help(completionScript(shell, self.parent!));
    });
}
