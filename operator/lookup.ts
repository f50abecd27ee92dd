import type { Command } from 'commander';
import { fail } from '../functions/src/errors';
import { isId } from '../functions/src/values/ids';
import { read } from '../functions/src/records/database';
import { readListing } from '../functions/src/records/listing-counters';
import type { Listing } from '../functions/src/records/listings';
import { organizationRef, type Organization } from '../functions/src/records/organizations';
import { presentationRef, type Presentation } from '../functions/src/records/presentations';
import { transact } from '../functions/src/records/transact';
import { findUserByEmail } from '../functions/src/records/users';
import { oneOf, required, text } from './command-line';

/** Gives a command the options that name an organization. */
export const ofOrganization = (command: Command): Command =>
  command
    .option('--organization <id>', 'the id of the organization', text)
    .option('--email <address>', "the address of the organization's owner", text);

/** The organization that --organization or --email names. Throws not-found. */
export async function findOrganization(command: Command): Promise<Organization> {
  const { option, value } = oneOf(command, 'organization', 'email');
  const id = option === 'email' ? await organizationOfOwner(value.trim().toLowerCase()) : value;
  const [found] = id.includes('/') ? [] : await read(organizationRef(id));
  return found ?? fail('not-found', undefined, { message: 'There is no such organization.' });
}

async function organizationOfOwner(email: string): Promise<string> {
  const owner = await transact((tx) => findUserByEmail(tx, email));
  const message = owner ? 'The account has no organization.' : 'This address has no account.';
  return owner?.organizationId ?? fail('not-found', undefined, { message });
}

/** The deck that --presentation names. Throws not-found. */
export async function findDeck(command: Command): Promise<Presentation> {
  const id = required(command, 'presentation');
  const [found] = isId(id) ? await read(presentationRef(id)) : [];
  return found ?? fail('not-found', undefined, { message: 'There is no such deck.' });
}

/** The listing that --listing names. Throws not-found. */
export async function findListing(command: Command): Promise<Listing> {
  const slug = required(command, 'listing');
  const found = /^[a-z0-9-]+$/.test(slug) ? await readListing(slug) : undefined;
  return found ?? fail('not-found', undefined, { message: 'There is no such listing.' });
}
