import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useRetry } from './retry';

interface PageOf<Row> {
  rows: Row[];
  nextCursor: string | null;
}

interface State<Row> {
  /** Undefined until the first page is loaded. */
  rows: Row[] | undefined;
  nextCursor: string | null;
  isLoading: boolean;
  failure: unknown;
}

/**
 * Rows that the service answers in pages. `more` adds the next page, `reload` begins anew. When the keys change, the
 * rows stay until those of the new keys come, or do not load.
 */
export function usePages<Row>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>,
  keys: readonly unknown[],
) {
  const [state, setState] = useState<State<Row>>({
    rows: undefined,
    nextCursor: null,
    isLoading: true,
    failure: undefined,
  });
  const loadPage = useCallback(load, keys);
  const shown = useRef<unknown>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  const fetchAfter = async (earlier: Row[], cursor: string | undefined) => {
    running.current?.abort();
    const own = (running.current = new AbortController());
    setState((before) => ({ ...before, isLoading: true, failure: undefined }));
    try {
      const { rows, nextCursor } = await loadPage(cursor, own.signal);
      if (own.signal.aborted) return;
      shown.current = loadPage;
      setState({ rows: [...earlier, ...rows], nextCursor, isLoading: false, failure: undefined });
    } catch (failure) {
      if (own.signal.aborted) return;
      const none = shown.current !== loadPage && { rows: undefined, nextCursor: null };
      setState((before) => ({ ...before, ...none, isLoading: false, failure }));
    }
  };
  const reload = () => fetchAfter([], undefined);
  useEffect(() => {
    void reload();
    return () => running.current?.abort();
  }, keys);
  useRetry(state.isLoading, reload);
  const more = () => fetchAfter(state.rows ?? [], state.nextCursor ?? undefined);
  return { ...state, hasMore: state.nextCursor !== null, reload, more };
}
