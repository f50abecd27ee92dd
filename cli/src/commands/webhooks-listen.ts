import { setTimeout as pause } from 'node:timers/promises';
import { usageFailure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { webhookBody } from '../../../functions/src/values/webhook-body';
import { mintWebhookSecret, webhookHeaders } from '../../../functions/src/values/webhook-secrets';
import { withSession, type CommonOptions } from '../session';
import { localTime } from '../show-time';
import type { Terminal } from '../terminal';
import { eventTypesOf } from '../verbs/webhooks';

export interface ListenOptions extends CommonOptions {
  forward?: string;
  events: string;
  includeReaders?: boolean;
}

type Event = Contract['listEvents']['answer']['events'][number];

const POLL_MS = 3000;
/** The same as that of the service. */
const ANSWER_MS = 10_000;

/**
 * Shows the events that happen from now on, and forwards them as the service sends them to a webhook, until Ctrl-C. A
 * forwarded event that fails is told and not sent again.
 */
export async function listenForEvents(options: ListenOptions, terminal: Terminal): Promise<void> {
  const { forward, events: list } = options;
  if (terminal.json) throw usageFailure('The command does not end, so it cannot write one JSON document.');
  if (forward !== undefined && !URL.canParse(forward)) throw usageFailure(`"${forward}" is not an address.`);
  const types = new Set(eventTypesOf(list));
  const isWanted = ({ type }: Event) => types.has('*') || types.has(type);
  const secret = mintWebhookSecret();
  await withSession(options, terminal, async ({ service }) => {
    if (forward !== undefined) terminal.say(`Signed with ${terminal.colors.bold(secret)}`);
    terminal.say(terminal.colors.dim('Waiting for events. Press Ctrl-C to stop.'));
    for await (const event of eventsFromNow(service, options.includeReaders ?? false)) {
      if (!isWanted(event)) continue;
      const outcome = forward === undefined ? '' : await sendTo(forward, event, secret);
      terminal.say(`${localTime(event.createdAt)}  ${event.type}${outcome && `  ${outcome}`}`);
    }
  });
}

/** The events that happen from now on, each once, in their order. */
async function* eventsFromNow(service: DeckService, includesReaders: boolean): AsyncGenerator<Event> {
  const newest = await service.get('listEvents', { order: 'desc', limit: '1' });
  // With one event there is no cursor behind it.
  const known = newest.events[0]?.eventId;
  let cursor = newest.nextCursor;
  for (;;) {
    const includeReaders = includesReaders ? 'true' : 'false';
    const query = { order: 'asc', includeReaders, ...(cursor !== null && { cursor }) } as const;
    const { events, nextCursor } = await service.get('listEvents', query);
    for (const event of events) if (event.eventId !== known) yield event;
    cursor = nextCursor;
    if (events.length === 0) await pause(POLL_MS);
  }
}

/** Sends an event as the service does, and tells what came of it. */
async function sendTo(url: string, event: Event, secret: string): Promise<string> {
  const body = webhookBody(event);
  const signed = webhookHeaders([secret], { id: event.eventId, body, now: new Date() });
  const headers = { 'content-type': 'application/json', ...signed };
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    return String((await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })).status);
  } catch (error) {
    const { cause, message } = error as Error;
    return `not sent: ${cause instanceof Error ? cause.message : message}`;
  }
}
