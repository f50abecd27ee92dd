import { useRef, useState } from 'preact/hooks';

interface Action<A extends unknown[]> {
  /** Does nothing while an earlier run is not finished. Never rejects: `failure` has the reason. */
  run: (...args: A) => Promise<void>;
  isBusy: boolean;
  failure: unknown;
  /** Takes back the shown failure. */
  clear: () => void;
}

/** An action of a button or a form: whether it runs, and why it failed. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown>): Action<A> {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(undefined);
  const isRunning = useRef(false);
  const run = async (...args: A) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setFailure(undefined);
    try {
      await act(...args);
    } catch (error) {
      setFailure(error);
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { run, isBusy, failure, clear: () => setFailure(undefined) };
}
