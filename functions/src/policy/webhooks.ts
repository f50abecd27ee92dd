import { DAY_MS } from '../values/units';

const HOUR_MS = 3_600_000;

export const MAX_WEBHOOKS = 10;

export const webhookFormats = ['standard', 'slack'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** Why a webhook is disabled. */
export const disablings = ['user', 'key-revoked', 'failures'] as const;
export type Disabling = (typeof disablings)[number];

/** How long the secret before the current one signs, too. */
export const OLD_SECRET_MS = DAY_MS;

/** The owner of an organization is told of changes of its webhooks at most once in this time. */
export const TELL_EVERY_MS = HOUR_MS;

/** The most changes that one mail tells. */
export const MAX_TOLD_CHANGES = 20;

/** What the owner of an organization is told about its webhooks. */
export const webhookChanges = [
  'created',
  'changed',
  'rotated',
  'disabled-key',
  'disabled-address',
  'disabled-failures',
] as const;
export type WebhookChange = (typeof webhookChanges)[number];

const [SECOND, MINUTE] = [1000, 60_000];
/** The pauses after the first failures of an event. After each further one it is half a day. */
const PAUSES = [5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS];
const LAST_PAUSE = 12 * HOUR_MS;
/** For so long an event is tried. */
const TRY_MS = 3 * DAY_MS;

/** When an event is sent again that has failed so often; null when it has failed for good. */
export function nextTryAt(failures: number, createdAt: Date, now: Date): Date | null {
  const next = now.getTime() + (PAUSES[failures - 1] ?? LAST_PAUSE);
  return next - createdAt.getTime() > TRY_MS ? null : new Date(next);
}

/** How long the service keeps what became of an event. */
export const DELIVERY_TTL_MS = 7 * DAY_MS;

/** Whether a webhook is disabled: for 5 days nothing arrived, and 5 events failed for good. */
export const isGivenUp = ({ failingSince, failedEvents }: Failing, now: Date): boolean =>
  failingSince !== null && failedEvents >= 5 && now.getTime() - failingSince.getTime() >= 5 * DAY_MS;

interface Failing {
  failingSince: Date | null;
  failedEvents: number;
}

/** Events that are told as a sum above the deliveries of a day: readers cause them. */
export const isDroppable = (type: string): boolean => type === 'link.opened' || type === 'view.ended';

/** Whether a webhook with these types wants events of this type. */
export const wants = (events: readonly string[], type: string): boolean =>
  events.includes('*') || events.includes(type);

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
