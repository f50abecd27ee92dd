import { Command } from 'commander';
import { createExport } from '../functions/src/records/account-exports';
import { readIn } from '../functions/src/records/database';
import { recordAction } from '../functions/src/records/operator-actions';
import { usageRef } from '../functions/src/records/organization-usage';
import { transact } from '../functions/src/records/transact';
import { performs } from './action';
import { findOrganization, ofOrganization } from './lookup';

/**
 * Asks for an export, for a person who asks the operator for the data of an account. The person is not told: the
 * account may be closed to them. The limit of one a week does not hold.
 */
export const exportAccount = ofOrganization(new Command('export-account'))
  .description('make an export of an account, which its person asked for; takes --organization or --email')
  .action(
    performs(async (_options, entry, command) => {
      const { organizationId, name } = await findOrganization(command);
      return {
        question: `Export everything of ${JSON.stringify(name)} (${organizationId})`,
        run: () =>
          transact(async (tx) => {
            const [usage] = await readIn(tx, usageRef(organizationId));
            const request = { organizationId, requestedBy: null, decks: usage?.decks ?? 0 };
            const now = new Date();
            const { exportId, status } = createExport(tx, request, now);
            recordAction(tx, { ...entry, at: now, target: organizationId });
            return { organizationId, exportId, status };
          }),
      };
    }),
  );
