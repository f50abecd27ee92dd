import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useRetry } from './retry';

export interface Loaded<T> {
  /** The last value. It stays while `reload` runs and when that fails. That of other keys goes when the load fails. */
  data: T | undefined;
  failure: unknown;
  isLoading: boolean;
  /** A quiet one, such as of a timer, leaves the failure that is shown until a value comes. */
  reload: (options?: { isQuiet?: boolean }) => Promise<void>;
  /** Makes another value of the present one: what an action has just changed. */
  set: (change: (data: T) => T) => void;
}

/** Loads what a page shows, again when a key changes. An answer that comes after a newer request is dropped. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[] = []): Loaded<T> {
  const [state, setState] = useState<Pick<Loaded<T>, 'data' | 'failure' | 'isLoading'>>({
    data: undefined,
    failure: undefined,
    isLoading: true,
  });
  const shown = useRef<unknown>(undefined);
  const running = useRef<AbortController | undefined>(undefined);

  const reload = useCallback(async ({ isQuiet = false } = {}) => {
    running.current?.abort();
    const own = (running.current = new AbortController());
    setState(({ data, failure }) => ({ data, failure: isQuiet ? failure : undefined, isLoading: true }));
    try {
      const data = await load(own.signal);
      if (own.signal.aborted) return;
      shown.current = load;
      setState({ data, failure: undefined, isLoading: false });
    } catch (failure) {
      if (own.signal.aborted) return;
      const isOfOther = shown.current !== load;
      setState((before) => ({
        data: isOfOther ? undefined : before.data,
        failure: before.failure ?? failure,
        isLoading: false,
      }));
    }
  }, keys);

  useEffect(() => {
    void reload();
    return () => running.current?.abort();
  }, [reload]);

  useRetry(state.isLoading, reload);
  const set: Loaded<T>['set'] = (change) =>
    setState((before) =>
      before.data === undefined ? before : { data: change(before.data), failure: undefined, isLoading: false },
    );
  return { ...state, reload, set };
}
