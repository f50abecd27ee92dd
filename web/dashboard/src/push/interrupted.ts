import type { Destination } from 'deckhost-client/browser';

const KEY = 'deckhost.push';

interface Interrupted {
  /** The name of what was dropped. */
  name: string;
  /** Undefined for a new deck. */
  presentationId?: string | undefined;
}

const deckOf = (destination: Destination) => (destination.kind === 'deck' ? destination.presentationId : undefined);

/** Notes that an upload has begun. A reload keeps the note. */
export function rememberInterrupted(name: string, destination: Destination): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ name, presentationId: deckOf(destination) } satisfies Interrupted));
  } catch {
    // The storage is refused or full. The upload needs no note.
  }
}

export function forgetInterrupted(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was noted.
  }
}

/** The name of the upload to the same deck that a reload of the page has interrupted. */
export function interruptedName(destination: Destination): string | undefined {
  try {
    const { name, presentationId } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Interrupted;
    return typeof name === 'string' && presentationId === deckOf(destination) ? name : undefined;
  } catch {
    return undefined;
  }
}
