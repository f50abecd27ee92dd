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
export const webhookChanges = ['created', 'changed', 'rotated', 'disabled-key', 'disabled-failures'] as const;
export type WebhookChange = (typeof webhookChanges)[number];
