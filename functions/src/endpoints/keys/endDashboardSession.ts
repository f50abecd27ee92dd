import { z } from 'zod';
import { config } from '../../config';
import { always, dashboardSessionId } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { endAllDashboardSessions, endDashboardSession as endSession } from '../../records/dashboard-sessions';
import { noSiteCookies } from '../../values/cookies';

export const Input = z
  .object({
    sessionId: dashboardSessionId.nullish().meta({
      description: 'Id of a session of the user. Without it and without `all` the session that sends the request ends.',
    }),
    all: z.boolean().nullish().meta({
      description: 'true: end every session of the user, this one included, and forget all devices of the user.',
    }),
  })
  .refine(({ sessionId, all }) => !(sessionId && all), {
    ...always,
    path: ['sessionId'],
    error: 'Send sessionId or all, not both.',
  });

export const Answer = z.object({
  ended: z.literal(true).meta({ description: 'Always true.' }),
});

export const endDashboardSession = endpoint({
  name: 'endDashboardSession',
  about:
    'Ends dashboard sessions of the user: the one that sends the request, another one, or all. The service refuses ' +
    'their tokens and cookies from the next request on. API keys stay valid. With `all`, the next code that the user ' +
    'requests is that of an unknown device.',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 3, reads: 2, writes: 2 },
  setsCookies: true,

  async handle({ input: { sessionId, all }, caller, isThroughHosting, answerHeaders }) {
    if (all) await endAllDashboardSessions(caller.userId);
    else await endSession(caller.userId, sessionId ?? caller.keyId);
    const isOwn = all || !sessionId || sessionId === caller.keyId;
    if (isOwn && isThroughHosting) {
      // Hosting removes cookies from answers that are not private.
      answerHeaders['Cache-Control'] = 'private, no-store';
      answerHeaders['Set-Cookie'] = noSiteCookies(config.isSiteSecure());
    }
    return { ended: true as const };
  },
});
