import { z } from 'zod';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { mailsInLastDay, mailsPerDay } from '../../policy/mail-rates';
import { plans } from '../../policy/plans';
import { usageLimits, usageOf } from '../../policy/usage-caps';
import { countLiveKeys } from '../../records/api-keys';
import { read } from '../../records/database';
import { mailWindowRef } from '../../records/mail-windows';
import { existing, usageRef } from '../../records/organization-usage';
import { organizationRef } from '../../records/organizations';
import { MAX_ACTIVE_KEYS } from '../../values/keys';

export const Input = z.object({});

const capped = (description: string, used: number, limit: number) =>
  z
    .object({
      used: z.int().nonnegative().meta({ description: 'The amount that counts to the limit now.', example: used }),
      limit: z.int().meta({ description: 'The largest amount.', example: limit }),
    })
    .meta({ description });

export const Answer = z.object({
  plan: z.enum(plans).meta({ description: 'Plan of the organization.', example: 'free' }),
  decks: capped('The decks of the organization.', 12, 100),
  storedBytes: capped(
    'The bytes that the decks store, all versions and unused files included. A deck stores files with the same hash ' +
      'once. New files count at the commit, or at the next upload when a deck or session has more than 32 MB of them.',
    734003200,
    5368709120,
  ),
  grantedBytes: capped(
    'The bytes of files that createAssetUploads allowed, that were not completed, and whose addresses have not expired.',
    73400320,
    524288000,
  ),
  newDecksThisHour: capped('The decks and remixes that were created in the last 60 minutes.', 2, 60),
  mailsToday: capped('The shares and invitations that were mailed in the last 24 hours.', 3, 50),
  keys: capped('The active API keys of the organization.', 2, MAX_ACTIVE_KEYS),
});

export const getUsage = endpoint({
  name: 'getUsage',
  about:
    "Tells how much of the limits of its plan the caller's organization uses. A call that exceeds a limit answers " +
    '`conflict` or `rate-limited` with `details {limit, actual, plan}`.',
  command: 'deck usage',
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'list' },
  cost: { roundTrips: 4, reads: 20, writes: 0 },

  async handle({ caller, now }) {
    const { organizationId } = asMember(caller);
    const [[organization, usage, mails], keys] = await Promise.all([
      read(organizationRef(organizationId), usageRef(organizationId), mailWindowRef(organizationId)),
      countLiveKeys(organizationId, now),
    ]);
    if (!organization) throw new Error(`The organization ${organizationId} of a caller does not exist.`);
    const [used, limits] = [usageOf(existing(usage, organizationId), now), usageLimits(organization.plan)];
    const of = (unit: keyof typeof used) => ({ used: used[unit], limit: limits[unit] });
    return {
      plan: organization.plan,
      decks: of('decks'),
      storedBytes: of('storedBytes'),
      grantedBytes: of('grantedBytes'),
      newDecksThisHour: of('newDecksThisHour'),
      mailsToday: { used: mailsInLastDay(mails?.sends ?? [], now), limit: mailsPerDay(organization, now) },
      keys: { used: keys, limit: MAX_ACTIVE_KEYS },
    };
  },
});
