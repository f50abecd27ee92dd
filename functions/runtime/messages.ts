/** The type of the messages between a deck in a frame and the page around it. No deck uses it by chance. */
const TYPE = 'decks/frame';

/** What a deck tells the page around it that has asked, at once and whenever one of them has changed. */
export type Told =
  | { hash: string; search: string; title: string }
  /** What the next page of the deck joins the live session with; empty when the session has ended. */
  | { live: string };

/** What the page asks of the deck: to tell its address and title from now on, to go to a hash, or to print. */
export interface Asked {
  isHello?: true;
  /** Where the deck sends what its reader looks at. */
  seen?: { url: string; ticket: string } | undefined;
  /** The ticket of the live session, or the hash of an address for whoever presents. */
  live?: string | undefined;
  hash?: string;
  isPrint?: true;
}

/** Sends a message. It holds no secret, and a deck in a sandbox has no origin that could be named. */
export const send = (to: Window, message: Told | Asked) => to.postMessage({ ...message, type: TYPE }, '*');

/** The message in an event; undefined when it has another type. Its fields may have any type. */
export const messageIn = ({ data }: MessageEvent<unknown>): Record<string, unknown> | undefined =>
  (data as Record<string, unknown> | null)?.['type'] === TYPE ? (data as Record<string, unknown>) : undefined;

/** Whether the key is the one for printing, and no part of the page has used it. */
export const isPrintKey = (event: KeyboardEvent) =>
  (event.ctrlKey || event.metaKey) &&
  !(event.shiftKey || event.altKey || event.defaultPrevented) &&
  event.key.toLowerCase() === 'p';
