import { Command, Option } from 'commander';
import { fail } from '../functions/src/errors';
import { plans, type Plan } from '../functions/src/policy/plans';
import { readIn } from '../functions/src/records/database';
import { recordAction } from '../functions/src/records/operator-actions';
import { changeOrganization, organizationRef } from '../functions/src/records/organizations';
import { transact } from '../functions/src/records/transact';
import { performs } from './action';
import { findOrganization, ofOrganization } from './lookup';

export const setPlan = ofOrganization(new Command('set-plan'))
  .description("change an organization's plan; takes --organization or --email")
  .addOption(new Option('--plan <plan>', 'the new plan').choices(plans).makeOptionMandatory())
  .action(
    performs<{ plan: Plan }>(async ({ plan }, entry, command) => {
      const { organizationId, name, plan: before } = await findOrganization(command);
      return {
        question: `Change the plan of ${JSON.stringify(name)} (${organizationId}) from ${before} to ${plan}`,
        run: () =>
          transact(async (tx) => {
            const [organization] = await readIn(tx, organizationRef(organizationId));
            if (!organization) return fail('not-found');
            changeOrganization(tx, organization, { plan });
            recordAction(tx, { ...entry, action: `${entry.action} ${plan}`, at: new Date(), target: organizationId });
            return { organizationId, name, plan, planBefore: organization.plan };
          }),
      };
    }),
  );
