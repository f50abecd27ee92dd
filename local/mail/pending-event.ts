import { randomUUID } from 'node:crypto';
import type { Message } from './message';

/** What Resend tells of a mail. */
export type MailEventType = 'delivered' | 'bounced' | 'complained' | 'suppressed';

/** An event that was not taken yet. */
export interface PendingEvent {
  id: string;
  type: MailEventType;
  messageId: string;
  /** Milliseconds since 1970. */
  at: number;
  attempts: number;
  dueAt: number;
}

/** The events that follow the acceptance of a mail. */
export function eventsOf({ id, lastEvent }: Message, now: number): PendingEvent[] {
  const types: MailEventType[] = lastEvent === 'complained' ? ['delivered', 'complained'] : [lastEvent];
  return types.map((type) => newEvent(id, type, now));
}

export const newEvent = (messageId: string, type: MailEventType, now: number): PendingEvent => ({
  id: `msg_${randomUUID()}`,
  type,
  messageId,
  at: now,
  attempts: 0,
  dueAt: now,
});
