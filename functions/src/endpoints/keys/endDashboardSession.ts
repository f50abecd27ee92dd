import { z } from 'zod';
import { endpoint } from '../../http/endpoint';

export const Input = z.object({});

export const Answer = z.object({
  ended: z.literal(true).meta({ description: 'Always true.' }),
});

export const endDashboardSession = endpoint({
  name: 'endDashboardSession',
  about:
    'Ends the dashboard session that sends the request. The service refuses the session token from the next ' +
    'request on.',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  errors: [],
  cost: { roundTrips: 2, reads: 1, writes: 1 },

  async handle({ caller }) {
    await caller.end();
    return { ended: true as const };
  },
});
