import { gcloud, StepFailure } from '../command';
import type { Deploy } from '../context';
import { channelTo, watchService } from '../monitoring';
import { operatorAddress } from '../operator-address';
import { safeguard } from '../safeguards';
import type { Step } from './step';

export const sendAlerts: Step = {
  name: 'alerts',
  about:
    'a budget of the billing account and an uptime check of `getServiceInfo` tell the operator, as far as the ' +
    '[settings](#data-has-a-net) do not leave them out',
  async run(deploy) {
    const watches = safeguard(deploy, 'UPTIME_CHECK') !== undefined;
    const address = deploy.setting('ALERT_EMAIL') ?? (await operatorAddress(deploy));
    let channel: string | undefined;
    if (address && (watches || safeguard(deploy, 'BUDGET'))) {
      channel = await channelTo(deploy, address);
      if (watches) await watchService(deploy, channel);
      if (!deploy.isDryRun) deploy.settings.set('ALERT_EMAIL', address);
    }
    const told = watches
      ? address
        ? `uptime check, mails to ${address}`
        : 'no uptime check: add --operator you@example.org'
      : 'no uptime check';
    return `${told}; ${await limitCost(deploy, channel)}`;
  },
};

const REFUSED = /PERMISSION_DENIED|does not have (the )?permission/i;

/**
 * Creates the budget of the project. The billing account often belongs to another department: the deploy goes on when
 * the account that deploys has no right there.
 */
async function limitCost(deploy: Deploy, channel: string | undefined): Promise<string> {
  const wanted = safeguard(deploy, 'BUDGET');
  if (!wanted) return 'no budget';
  try {
    return await keepBudget(deploy, wanted, channel);
  } catch (error) {
    if (!(error instanceof StepFailure) || !REFUSED.test(error.message)) throw error;
    return (
      'no budget: your account needs the role Billing Account Costs Manager on the billing account ' +
      '(--set BUDGET=off leaves the budget out)'
    );
  }
}

interface Budget {
  name: string;
  displayName?: string;
  /** Without `units` the amount follows the cost of the month before. */
  amount?: { specifiedAmount?: { units?: string } };
  notificationsRule?: { monitoringNotificationChannels?: string[] };
}

/** Creates the budget, or changes what the operator chose. Answers what there is. */
async function keepBudget(
  deploy: Deploy,
  { value, isChosen }: { value: string; isChosen: boolean },
  channel: string | undefined,
): Promise<string> {
  const { project } = deploy;
  const whenEmpty = `$(gcloud billing projects describe ${project} --format='value(billingAccountName)')`;
  const { billingAccountName: account } = await deploy.look<{ billingAccountName: string }>(
    gcloud('billing', 'projects', 'describe', project, '--format=json'),
    { billingAccountName: whenEmpty },
  );
  // Without the option the call counts for a project of gcloud, where the API may not be enabled.
  const where = [`--billing-account=${account}`, `--billing-project=${project}`];
  const budgets = await deploy.look<Budget[]>(gcloud('billing', 'budgets', 'list', ...where, '--format=json'), []);
  const displayName = `Decks of ${project}`;
  const found = budgets.find((each) => each.displayName === displayName);
  const tell = (channels: readonly string[]) =>
    `--notifications-rule-monitoring-notification-channels=${channels.join(',')}`;
  if (!found) {
    await deploy.act(
      gcloud(
        ...['billing', 'budgets', 'create', ...where, `--display-name=${displayName}`, `--budget-amount=${value}`],
        ...[`--filter-projects=projects/${project}`, '--threshold-rule=percent=0.5', '--threshold-rule=percent=1.0'],
        // The administrators of the billing account are told in any case.
        ...(channel ? [tell([channel])] : []),
      ),
    );
    return `budget of ${value} a month`;
  }
  const units = found.amount?.specifiedAmount?.units;
  // An operator may have added other channels.
  const channels = found.notificationsRule?.monitoringNotificationChannels ?? [];
  const changes = [
    ...(isChosen && units !== value ? [`--budget-amount=${value}`] : []),
    ...(channel && !channels.includes(channel) ? [tell([...channels, channel])] : []),
  ];
  const [, , , id = ''] = found.name.split('/');
  if (changes.length > 0) await deploy.act(gcloud('billing', 'budgets', 'update', id, ...where, ...changes));
  const amount = isChosen ? value : units;
  return amount === undefined ? 'budget of the month before' : `budget of ${amount} a month`;
}
