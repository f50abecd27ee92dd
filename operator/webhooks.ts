import { Command } from 'commander';
import { recordAction } from '../functions/src/records/operator-actions';
import { transact } from '../functions/src/records/transact';
import { setStopped } from '../functions/src/records/webhook-states';
import { performs } from './action';
import { findOrganization, ofOrganization } from './lookup';

/** The command that stops the webhooks of an organization, and the one that allows them again. */
const command = (name: string, description: string, isStopped: boolean) =>
  ofOrganization(new Command(name))
    .description(`${description}; takes --organization or --email`)
    .action(
      performs(async (_options, entry, of) => {
        const { organizationId, name: called } = await findOrganization(of);
        const verb = isStopped ? 'Stop' : 'Allow';
        return {
          question: `${verb} the webhooks of ${JSON.stringify(called)} (${organizationId})`,
          run: () =>
            transact(async (tx) => {
              const at = new Date();
              const isChanged = await setStopped(tx, organizationId, isStopped, at);
              if (isChanged) recordAction(tx, { ...entry, at, target: organizationId });
              return { organizationId, name: called, isStopped, isChanged };
            }),
        };
      }),
    );

export const stopWebhooks = command('stop-webhooks', 'send no events of an organization to its webhooks', true);
export const allowWebhooks = command('allow-webhooks', 'send the next events of an organization again', false);
