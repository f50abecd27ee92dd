import { z } from 'zod';
import { example } from '../../contract/example';
import { cursor, nextCursor, pageLimit, time } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { listDashboardSessions as listRecords } from '../../records/dashboard-sessions';
import { countryName } from '../../values/countries';

export const Input = z.object({
  limit: pageLimit('sessions').describe('Number of sessions on a page. Expired ones among them are left out.'),
  cursor,
});

const Session = z
  .object({
    sessionId: z.uuidv7().meta({ description: 'Id of the session.', example: example.dashboardSessionId }),
    device: z.string().meta({
      description: 'Browser and system, as the client named itself at the sign-in.',
      example: 'Firefox on Windows',
    }),
    place: z.string().nullable().meta({
      description: 'Country from which the browser last renewed the session. Null when it is not known.',
      example: 'Germany',
    }),
    createdAt: time('When the user signed in.'),
    lastUsedAt: time(
      'When a browser last renewed the session: at most 15 minutes before its last call. For the session of a program, ' +
        'when the user signed in.',
    ),
    isCurrent: z.boolean().meta({ description: 'Whether this session sends the request.', example: true }),
  })
  .meta({ id: 'DashboardSession', description: 'A browser or a program in which the user is signed in.' });

export const Answer = z.object({
  sessions: z.array(Session).meta({ description: 'The sessions, the newest sign-in first.' }),
  nextCursor,
});

export const listDashboardSessions = endpoint({
  name: 'listDashboardSessions',
  about: 'Lists the browsers and programs in which the user of the session is signed in. API keys are not among them.',
  method: 'GET',
  caller: 'session',
  input: Input,
  answer: Answer,
  errors: [],
  cost: { roundTrips: 2, reads: 2, writes: 0 },

  async handle({ input: { limit, cursor }, caller: { userId, keyId }, now }) {
    const { records, next } = await listRecords(userId, limit, cursor);
    const live = records.filter(({ expiresAt }) => expiresAt > now);
    const sessions = live.map(({ sessionId, device, country, createdAt, lastUsedAt }) => ({
      sessionId,
      device,
      place: country && countryName(country),
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt.toISOString(),
      isCurrent: sessionId === keyId,
    }));
    return { sessions, nextCursor: next };
  },
});
