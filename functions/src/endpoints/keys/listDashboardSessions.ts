import { z } from 'zod';
import { cursor, nextCursor, pageLimit } from '../../contract/fields';
import { listedSession } from '../../contract/rows';
import { endpoint } from '../../http/endpoint';
import { listDashboardSessions as listRecords } from '../../records/dashboard-sessions';
import { sessionView } from '../../rows/accounts';

export const Input = z.object({
  limit: pageLimit('sessions').describe('Number of sessions on a page. Expired ones among them are left out.'),
  cursor,
});

export const Answer = z.object({
  sessions: z.array(listedSession).meta({ description: 'The sessions, the newest sign-in first.' }),
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
    const sessions = live.map((session) => ({ ...sessionView(session), isCurrent: session.sessionId === keyId }));
    return { sessions, nextCursor: next };
  },
});
