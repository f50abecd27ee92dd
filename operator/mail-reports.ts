import { Command } from 'commander';
import { read } from '../functions/src/records/database';
import { deleteMailReports, listOpenMailCases } from '../functions/src/records/mail-reports';
import { recordAction } from '../functions/src/records/operator-actions';
import { organizationRef } from '../functions/src/records/organizations';
import { transact } from '../functions/src/records/transact';
import { userRef } from '../functions/src/records/users';
import { performs } from './action';
import { findOrganization, ofOrganization } from './lookup';

export const dismissMailReports = ofOrganization(new Command('dismiss-mail-reports'))
  .description('delete the reports about the mails of an organization; takes --organization or --email')
  .action(
    performs(async (_options, entry, command) => {
      const { organizationId, name } = await findOrganization(command);
      return {
        question: `Delete the reports about the mails of ${JSON.stringify(name)} (${organizationId})`,
        run: () =>
          transact(async (tx) => {
            const dismissed = await deleteMailReports(tx, organizationId);
            recordAction(tx, { ...entry, at: new Date(), target: organizationId });
            return { organizationId, name, dismissed };
          }),
      };
    }),
  );

/** One entry for each organization with reported mails, however many reports it has. */
export async function describeReportedMails(limit: number): Promise<object[]> {
  const cases = await listOpenMailCases(limit);
  if (cases.length === 0) return [];
  const organizations = await read(...cases.map(({ organizationId }) => organizationRef(organizationId)));
  const owners = await read(...organizations.map((found) => found && userRef(found.ownerId)));
  return cases.map(({ organizationId, lastReportedAt, counts }, i) => {
    const { name, plan, createdAt } = organizations[i] ?? {};
    return {
      organizationId,
      name,
      ownerEmail: owners[i]?.email ?? null,
      plan,
      createdAt,
      lastReportedAt,
      reports: counts,
    };
  });
}
