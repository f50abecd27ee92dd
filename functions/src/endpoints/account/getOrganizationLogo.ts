import { z } from 'zod';
import { readLogo } from '../../blobs/logos';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { rawEndpoint } from '../../http/endpoint';
import { read } from '../../records/database';
import { organizationRef } from '../../records/organizations';

export const Input = z.object({});

export const getOrganizationLogo = rawEndpoint({
  name: 'getOrganizationLogo',
  about: 'Returns the bytes of the logo of the organization, with their content type.',
  input: Input,
  paths: { '': '' },
  answers: {
    200: {
      description: 'The logo.',
      contentTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'],
      headers: ['Cache-Control', 'Content-Length', 'Content-Security-Policy'],
    },
  },
  method: 'GET',
  caller: { scope: 'presentations:read' },
  errors: ['not-found'],
  cost: { roundTrips: 2, reads: 2, writes: 0, bucketCalls: 1 },

  async handle({ response, caller }) {
    const { logo, bytes } = await find(asMember(caller).organizationId);
    response.setHeader('Cache-Control', 'private, no-store');
    // An SVG may hold scripts. A browser that shows it as a page runs none of them.
    response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'");
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Content-Type', logo.contentType);
    response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  },
});

/** Reads the logo. Another call may replace it between the two reads: then the record names another object. */
async function find(organizationId: string) {
  for (let attempts = 0; attempts < 3; attempts++) {
    const [organization] = await read(organizationRef(organizationId));
    const logo = organization?.logo;
    if (!logo) break;
    const bytes = await readLogo(logo);
    if (bytes) return { logo, bytes };
  }
  return fail('not-found', undefined, { message: 'The organization has no logo.' });
}
