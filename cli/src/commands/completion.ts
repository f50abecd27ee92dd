import { Argument, Command } from 'commander';
import { completionScript, shells, type Shell } from '../help/completion-scripts';
import type { Terminal } from '../terminal';

const HELP = `
bash: add to ~/.bashrc                      eval "$(deck completion bash)"
zsh:  add to ~/.zshrc, after compinit       eval "$(deck completion zsh)"
fish: add to ~/.config/fish/config.fish     deck completion fish | source`;

export function completionCommand(terminal: Terminal): Command {
  return new Command('completion')
    .description('show the script with which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', HELP)
    .action((shell: Shell, _options, self: Command) => {
      const script = completionScript(shell, self.parent!);
      if (terminal.json) terminal.answer({ shell, script });
      else process.stdout.write(script);
    });
}
