/** npm sends a Ctrl-C of the terminal to its child a second time. That is not a second Ctrl-C. */
const SECOND_SIGNAL_MS = 1000;

/**
 * Calls `close` at the first SIGINT, SIGTERM or SIGHUP. A signal within a second after it is ignored; a later one calls
 * `kill`, which by default ends the process with 1.
 */
export function onStopSignals(close: () => void, kill: () => void = () => process.exit(1)): void {
  let stoppingSince: number | undefined;
  // A closed terminal sends SIGHUP to this process alone.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stoppingSince === undefined) {
        stoppingSince = Date.now();
        close();
      } else if (Date.now() - stoppingSince >= SECOND_SIGNAL_MS) kill();
    });
  }
}
