import { appendLine, StepFailure } from '../command';
import { Settings } from '../settings';
import type { Step } from './step';

/** Who runs the service, for the pages /privacy and /terms. */
const OPERATOR = ['OPERATOR_NAME', 'OPERATOR_ADDRESS', 'OPERATOR_CONTACT', 'OPERATOR_COUNTRY'];

export const settings: Step = {
  name: 'settings',
  about:
    'region, sender of mails and service account are in `functions/.env.<project>`; it warns while `OPERATOR_…` does ' +
    'not say who runs the service',
  async run(deploy) {
    const { settings, options, around, project } = deploy;
    const file = `functions/.env.${project}`;
    const deployed = settings.get('REGION');
    if (options.region && deployed && deployed !== options.region && !options.deleteRemoved) {
      throw new StepFailure(
        `${file} has the region ${deployed}, not ${options.region}.`,
        'Another region means other addresses, and the functions of the old region stay until they are deleted. To ' +
          'move the functions, add --delete-removed.',
      );
    }
    if (settings.get('WEBHOOK_PRIVATE_TARGETS') === 'true') {
      throw new StepFailure(
        'WEBHOOK_PRIVATE_TARGETS is set: webhooks could call private addresses of the cloud.',
        `Delete it from ${file} and functions/.env. It is for machines of developers.`,
      );
    }
    const mailFrom =
      options.mailFrom ??
      (around.env['MAIL_FROM'] || settings.get('MAIL_FROM')) ??
      (deploy.isDryRun
        ? 'Deckhost <hello@example.org>'
        : await deploy.answer(
            'Sender of all mails, at a domain that Resend has verified (Deckhost <hello@example.org>): ',
            "Add --mail-from 'Deckhost <hello@example.org>', or set MAIL_FROM.",
          ));
    if (!/^[^@\r\n]*[^@\s]+@[^@\s]+\.[^@\s]+$/.test(mailFrom)) {
      throw new StepFailure(`${mailFrom} is not a sender.`, "Write --mail-from 'Deckhost <hello@example.org>'.");
    }
    const wanted: Record<string, string> = {
      REGION: deploy.region,
      MAIL_FROM: mailFrom,
      // An account that the operator chose stays.
      SERVICE_ACCOUNT: deploy.account,
      ...Object.fromEntries(
        (options.set ?? []).map((each) => [each.split('=', 1)[0]!, each.slice(each.indexOf('=') + 1)]),
      ),
      ...(options.proxyHops !== undefined && { TRUSTED_PROXY_HOPS: String(options.proxyHops) }),
      // An empty value also hides that of functions/.env.
      ...(options.deckOrigin === false && settings.get('DECK_ORIGIN') && { DECK_ORIGIN: '' }),
    };
    for (const [name, value] of Object.entries(wanted)) {
      if (deploy.isDryRun) around.print(appendLine(Settings.line(name, value), file));
      else settings.set(name, value);
    }
    const missing = OPERATOR.filter((name) => !(name in wanted ? wanted[name] : settings.get(name)));
    if (missing.length > 0 && !deploy.isDryRun) {
      around.print(
        `! The pages /privacy and /terms do not say who runs the service. Set ${missing.join(', ')} in ${file}.`,
      );
    }
    return `${deploy.region}, mails from ${mailFrom} (${file})`;
  },
};
