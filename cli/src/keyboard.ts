import { emitKeypressEvents, type Key } from 'node:readline';

/**
 * Calls `onKey` with the name of each key that a person presses, until the returned function is called. Ctrl-C raises
 * SIGINT, as it does outside. Standard input must be a terminal.
 */
export function listenToKeys(onKey: (name: string) => void): () => void {
  const { stdin } = process;
  const onPress = (_text: string | undefined, { name, ctrl }: Key) => {
    if (ctrl && name === 'c') process.kill(process.pid, 'SIGINT');
    else if (name !== undefined) onKey(name);
  };
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on('keypress', onPress).resume();
  return () => {
    stdin.off('keypress', onPress).pause();
    stdin.setRawMode(false);
  };
}
