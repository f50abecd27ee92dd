import { z } from 'zod';
import { organizationView } from '../../rows/accounts';
import { removeFormerLogos, storeLogo } from '../../blobs/logos';
import {
  accountOrganization,
  companyFields,
  companyName,
  NO_FIELD,
  sentLogo,
  someField,
} from '../../contract/account-fields';
import { always } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { logWarning } from '../../log';
import { readIn } from '../../records/database';
import { changeOrganization, organizationRef } from '../../records/organizations';
import { transact } from '../../records/transact';
import { noteChange } from '../../records/users';
import { MB } from '../../values/units';

export const Input = z
  .object({
    name: companyName.optional().meta({ description: 'Name of the organization.', example: 'Analytical Engines' }),
    ...companyFields,
    logo: sentLogo
      .nullish()
      .meta({ description: 'Logo of the organization: PNG, JPEG, WebP or SVG. Null removes the logo.' }),
  })
  .refine(someField, { ...always, path: ['name'], error: NO_FIELD })
  .meta({ minProperties: 1, example: { name: 'Analytical Engines', brandPrimary: '#1a2b3c' } });

export const Answer = z.object({ organization: accountOrganization });

export const updateOrganization = endpoint({
  name: 'updateOrganization',
  about:
    'Changes the organization of the session. Fields that are left out keep their values. Null removes a value. The ' +
    'mails, the listings and the usage of the organization show the change from the next call on.',
  method: 'POST',
  caller: 'session',
  limit: 3 * MB,
  input: Input,
  answer: Answer,
  errors: [
    'COMPANY_NAME_TOO_LONG',
    'BRAND_COLOR_INVALID',
    'LOGO_TOO_LARGE',
    'LOGO_INVALID_FORMAT',
    'LOGO_DECODE_FAILED',
  ],
  cost: { roundTrips: 3, reads: 2, writes: 4 },

  /**
   * The logo is stored under a new path before the transaction names it, and the former one is deleted after that. A
   * call that is cut off leaves an object that no record names. The next change of the logo deletes it.
   */
  async handle({ input: { logo: sent, ...fields }, caller: { organizationId, userId }, now }) {
    const logo = sent && (await storeLogo(userId, sent));
    const { before, organization } = await transact(async (tx) => {
      const [before] = await readIn(tx, organizationRef(organizationId));
      if (!before) throw new Error(`The organization ${organizationId} of a session does not exist.`);
      const said = Object.entries({ ...fields, logo }).filter(([, value]) => value !== undefined);
      noteChange(tx, before.ownerId, {
        ...(fields.brandPrimary !== undefined && { brandColour: fields.brandPrimary }),
        ...(fields.name !== undefined && { renamedAt: now }),
      });
      return { before, organization: changeOrganization(tx, before, Object.fromEntries(said)) };
    });
    if (logo !== undefined) {
      const paths = { replaced: before.logo?.objectPath, kept: logo?.objectPath };
      const onFault = (error: unknown) => logWarning('A former logo was not deleted.', error, { organizationId });
      await removeFormerLogos(userId, paths, now).catch(onFault);
    }
    return { organization: organizationView(organization) };
  },
});
