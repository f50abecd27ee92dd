import { z } from 'zod';
import { config } from '../config';
import { fail } from '../errors';
import { exceededCap, type ManifestFile } from '../policy/manifest';
import { plans } from '../policy/plans';
import { organizationView } from '../rows/accounts';
import { collection, date, paths } from './collections';
import { read, type Transaction } from './database';
import { addEvent, changedFrom } from './events';

export const organization = z.object({
  organizationId: z.string(),
  name: z.string(),
  ownerId: z.string(),
  plan: z.enum(plans),
  description: z.string().nullable(),
  tone: z.string().nullable(),
  brandPrimary: z.string().nullable(),
  brandSecondary: z.string().nullable(),
  brandAccent: z.string().nullable(),
  logo: z.object({ objectPath: z.string(), contentType: z.string() }).nullable(),
  createdAt: date,
  /** What stayed of an account of the same mailbox that was deleted in the 90 days before; null without one. */
  former: z
    .object({
      /** Who stopped the mails of one of these has stopped those of the organization. */
      organizationIds: z.array(z.string()),
      takedowns: z.array(z.object({ what: z.enum(['deck', 'listing']), at: date, reason: z.string() })),
    })
    .nullable(),
});
export type FormerAccount = NonNullable<z.output<typeof organization>['former']>;
export type Organization = z.output<typeof organization>;

export const organizationRef = (organizationId: string) =>
  collection(paths.organizations, organization).doc(organizationId);

/** What may be changed: the plan by an operator, the other fields by the owner of the organization. */
type Changes = Partial<Omit<Organization, 'organizationId' | 'ownerId' | 'createdAt' | 'former'>>;

/** The ids of an organization by which recipients have stopped its mails. */
export const sendersOf = ({ organizationId, former }: Pick<Organization, 'organizationId' | 'former'>): string[] => [
  organizationId,
  ...(former?.organizationIds ?? []),
];

/** Changes an organization that the transaction has read, and returns it. */
export function changeOrganization(tx: Transaction, before: Organization, changes: Changes): Organization {
  const { organizationId } = before;
  tx.update(organizationRef(organizationId), changes);
  const changed = { ...before, ...changes };
  const row = organizationView(changed);
  const data = { organization: row, before: changedFrom(organizationView(before), row) };
  addEvent(tx, 'account.changed', { organizationId }, data);
  return changed;
}

/**
 * The organization whose plan applies to a deck: `own`, or one read when the caller belongs to another organization.
 */
export async function organizationOf(
  deck: { organizationId: string },
  own: Organization | undefined,
): Promise<Organization> {
  if (own?.organizationId === deck.organizationId) return own;
  const [organization] = await read(organizationRef(deck.organizationId));
  if (!organization) throw new Error(`The organization ${deck.organizationId} of a deck does not exist.`);
  return organization;
}

/** The texts of payload-too-large for a page that the platform cannot deliver. */
export const pageTooLarge = {
  message: 'An HTML, SVG or XML file is larger than the platform can deliver.',
  nextAction: 'Move pictures, fonts and data of the file into files of their own, and upload again.',
};

/**
 * Returns the organization. Refuses files that exceed the caps of its plan or of the platform: too-many-files or
 * payload-too-large.
 */
export function assertWithinPlan(files: readonly ManifestFile[], found: Organization | undefined): Organization {
  if (!found) throw new Error('A deck or key names an organization that does not exist.');
  const exceeded = exceededCap(files, found.plan, config.maxPageBytes());
  if (exceeded) fail(exceeded.code, { ...exceeded.details }, exceeded.isPlatformLimit && pageTooLarge);
  return found;
}
