import { useRef, useState } from 'preact/hooks';
import { useAttempts, type Once } from '../../attempts';
import type { CommandStrip } from '../../ui/command-strip';
import type { SectionProps } from './use-deck';

/** The forms of an action for a terminal and a program. */
export type Done = Parameters<typeof CommandStrip>[0];

/**
 * Runs the changes of a section. A change that runs already is not started again: somebody has clicked twice. Other
 * changes run beside it, such as the undoing of an earlier one. After each change the deck is read again, also after
 * one that failed: a conflict or a missing link means that the page shows an old state. `done` has the forms of the
 * last change that succeeded. `name` is that of the attempts.
 */
export function useChange({ reload }: Pick<SectionProps, 'reload'>, first: Done, name?: string) {
  const [done, setDone] = useState(first);
  const [failure, setFailure] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const running = useRef(new Set<string>());
  const attempts = useAttempts(name);

  /** Never rejects: `failure` has the reason. */
  const run = async (change: (once: Once) => Promise<unknown>, form: Done) => {
    const key = JSON.stringify(form.call);
    if (running.current.has(key)) return;
    running.current.add(key);
    setBusy(true);
    setFailure(undefined);
    try {
      await attempts.run(form.call, change);
      setDone(withoutSecret(form));
    } catch (error) {
      setFailure(error);
    } finally {
      running.current.delete(key);
      setBusy(running.current.size > 0);
    }
    await reload();
  };
  return { run, isBusy, failure, clear: () => setFailure(undefined), done };
}

/** A form to show and to copy. A passcode is not shown again. */
function withoutSecret({ command, call }: Done): Done {
  const isSecret = typeof call?.input?.['passcode'] === 'string';
  return { ...(command !== undefined && { command }), ...(call && { call: isSecret ? masked(call) : call }) };
}

const masked = (call: NonNullable<Done['call']>) => ({ ...call, input: { ...call.input, passcode: '…' } });
