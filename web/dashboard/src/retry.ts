import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What is being loaded, as functions that begin anew. */
export const waiting = signal<readonly (() => unknown)[]>([]);

/** Lets `reload` run when the person does not want to wait any longer for what is loading. */
export function useRetry(isLoading: boolean, reload: () => unknown): void {
  useEffect(() => {
    if (!isLoading) return;
    waiting.value = [...waiting.peek(), reload];
    return () => {
      waiting.value = waiting.peek().filter((each) => each !== reload);
    };
  }, [isLoading, reload]);
}
