import { useState } from 'preact/hooks';
import type { CommandStrip } from '../../ui/command-strip';
import { useAction } from '../../use-action';
import type { SectionProps } from './use-deck';

/** The forms of an action for a terminal and a program. */
export type Done = Parameters<typeof CommandStrip>[0];

/**
 * Runs the changes of a section, one at a time. After each change the deck is read again, also after one that failed: a conflict or a missing
 * link means that the page shows an old state. `done` has the forms of the last change that succeeded.
 */
export function useChange({ reload }: Pick<SectionProps, 'reload'>, first: Done) {
  const [done, setDone] = useState(first);
  const action = useAction(async (change: () => Promise<unknown>, form?: Done) => {
    try {
      await change();
      if (form) setDone(form);
    } finally {
      await reload();
    }
  });
  return { ...action, done };
}
