import { z } from 'zod';
import { config } from '../../config';
import { endpoint } from '../../http/endpoint';

/**
 * The rate limits of sign-up, login, views and reports count the address of the client. A deployment with a wrong
 * TRUSTED_PROXY_HOPS counts all clients as one, or counts an entry that the client wrote. This endpoint shows the
 * operator, and the deploy script, what the functions see of the operator's own request. It reads no record and tells a
 * caller only about the request of this caller.
 */
export const Input = z.object({});

/** The answer holds this many entries at most, the last ones, and this many characters of each entry. */
const MAX_ENTRIES = 20;
const MAX_ENTRY_LENGTH = 100;

export const Answer = z.object({
  clientAddress: z.string().meta({
    description: 'The network address of the caller that rate limits count.',
    example: '203.0.113.7',
  }),
  forwardedFor: z
    .array(z.string().meta({ description: 'One entry, at most 100 characters of it.', example: '203.0.113.7' }))
    .max(MAX_ENTRIES)
    .meta({
      description: `The entries of X-Forwarded-For as the function received them, the last ${MAX_ENTRIES} at most.`,
    }),
  trustedProxyHops: z.int().nonnegative().meta({
    description:
      'How many of the last entries proxies have written that the service trusts. The first of these is the client address.',
    example: 1,
  }),
});

export const getClientAddress = endpoint({
  name: 'getClientAddress',
  about:
    'Tells which network address of the caller the service sees, and from which headers. An operator checks a ' +
    'deployment with it.',
  method: 'GET',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'read' },
  cost: { roundTrips: 0, reads: 0, writes: 0 },

  handle({ clientAddress, forwardedFor }) {
    return Promise.resolve({
      clientAddress: clientAddress.slice(0, MAX_ENTRY_LENGTH),
      forwardedFor: forwardedFor.slice(-MAX_ENTRIES).map((entry) => entry.slice(0, MAX_ENTRY_LENGTH)),
      trustedProxyHops: config.trustedProxyHops(),
    });
  },
});
