import { z } from 'zod';
import { endpoint } from '../../http/endpoint';

/** Ends the session that calls; its token is refused from then on. */

export const Input = z.object({});

export const Answer = z.object({ ended: z.literal(true) });

export const endDashboardSession = endpoint({
  name: 'endDashboardSession',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  errors: [],

  async handle({ caller }) {
    await caller.end();
    return { ended: true as const };
  },
});
