import { attempt } from '../attempt';
import { functionsUrl } from './functions-url';

const names = ['state', 'ticket', 'command', 'followers', 'end', 'ask'];
/** The pause before a stream is opened again: followers whose streams end together come back one after the other. */
const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

interface Answer {
  data?: { ticket: string; everySeconds: number } & Record<string, unknown>;
  error?: { code: string };
}

export interface Stream {
  /** Takes a newer ticket, and opens the stream again when the last ticket was refused. */
  renew: (ticket: string) => void;
  close: () => void;
}

/**
 * Hears a session until it ends or `close` is called. A connection that is lost is opened again, with the ticket that
 * the service renewed last. `hear` gets each event, `end` last; after `refused` it gets nothing until `renew`.
 */
export function openStream(
  first: string,
  isRemote: boolean,
  hear: (name: string, data: Record<string, unknown>) => void,
): Stream {
  let ticket = first;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let next: (() => void) | undefined;
  let failures = 0;
  let isRefused = false;
  let isClosed = false;

  const address = () => `${functionsUrl}/followLiveSession?ticket=${ticket}${isRemote ? '&remote=1' : ''}`;
  const later = (act: () => void, milliseconds: number) => {
    next = act;
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
  const pause = () => Math.min(PAUSE_MS * 2 ** failures++, MAX_PAUSE_MS) * (1 + 3 * Math.random());
  const close = () => {
    isClosed = true;
    source?.close();
    clearTimeout(timer);
    next = undefined;
    for (const name of ['online', 'visibilitychange']) removeEventListener(name, wake, true);
  };
  const end = () => {
    close();
    hear('end', {});
  };

  const open = () => {
    next = undefined;
    const opened = new EventSource(address());
    source = opened;
    let isOpen = false;
    opened.onopen = () => {
      isOpen = true;
    };
    opened.onerror = () => {
      // The browser would come back with the old ticket.
      opened.close();
      later(isOpen ? open : ask, pause());
    };
    for (const name of names)
      opened.addEventListener(name, ({ data }: MessageEvent<string>) =>
        attempt(() => receive(name, JSON.parse(data) as Record<string, unknown>)),
      );
  };

  const receive = (name: string, data: Record<string, unknown>) => {
    failures = 0;
    if (name === 'end') return end();
    if (name === 'ticket') ticket = data['ticket'] as string;
    if (name !== 'ask') return hear(name, data);
    source!.close();
    later(() => ask(true), Math.random() * (data['everySeconds'] as number) * 1000);
  };

  /** Asks for the state alone: it is also how a page learns why its stream was not opened. */
  const ask = (isFull = false) => {
    next = undefined;
    fetch(address())
      .then((answer) => answer.json())
      .then(({ data, error }: Answer) => {
        if (isClosed) return;
        if (error?.code === 'expired') return end();
        isRefused = error?.code === 'permission-denied';
        if (isRefused) return hear('refused', {});
        if (!data) return later(() => ask(isFull), pause());
        ticket = data.ticket;
        hear('state', data);
        if (!isFull) return open();
        failures = 0;
        later(() => ask(true), data.everySeconds * (900 + 200 * Math.random()));
      })
      .catch(() => isClosed || later(() => ask(isFull), pause()));
  };

  /** The network or the reader is back. */
  const wake = () => {
    if (!document.hidden && next) later(next, Math.random() * PAUSE_MS);
  };
  for (const name of ['online', 'visibilitychange']) addEventListener(name, wake, true);
  open();
  return {
    close,
    renew: (newer) => {
      ticket = newer;
      if (isRefused) open();
      isRefused = false;
    },
  };
}
