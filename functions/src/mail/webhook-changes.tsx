import { config } from '../config';
import { ACCENT, Button, Heading, MailPage, Paragraph, signature } from '../house/mail-layout';
import { originOfService } from '../house/mail-origin';
import { renderPage } from '../house/render';
import type { WebhookChange } from '../policy/webhooks';
import { oneLine } from '../values/mail-text';
import { minuteOf } from './minute';
import { mailPageUrl } from './mail-page-url';
import type { Mail } from './send';

/** A change of a webhook, as the owner of its organization is told. */
interface ToldChange {
  at: Date;
  what: WebhookChange;
  /** The host of the address. */
  host: string;
  keyName: string | null;
}

interface Telling {
  to: string;
  /** See `mailTokenFor`. */
  token: string;
  organizationName: string;
  changes: readonly ToldChange[];
}

const texts: Readonly<Record<WebhookChange, (host: string) => string>> = {
  created: (host) => `A webhook was created: events are sent to ${host}.`,
  changed: (host) => `The webhook that sends events to ${host} was changed.`,
  rotated: (host) => `The webhook that sends events to ${host} got another secret.`,
  'disabled-key': (host) => `The webhook to ${host} was disabled, because the key that made or changed it was revoked.`,
  'disabled-address': (host) =>
    `The webhook to ${host} was disabled, because a change of the address of your account was taken back.`,
  'disabled-failures': (host) => `The webhook to ${host} was disabled, because no event arrived there for 5 days.`,
};

const SEE = 'See the webhooks';

/** Tells the owner of an organization what was changed at its webhooks, also by whoever has one of its keys. */
export function webhookChangesMail({ to, token, organizationName, changes }: Telling): Mail {
  const site = config.viewerUrl();
  const url = `${site}/dashboard/webhooks`;
  const title = `Webhooks of ${oneLine(organizationName, 100)}`;
  const note =
    'A webhook sends what happens in your organization to an address. If you do not know of it, delete it, and revoke the key.';
  const sentences = changes.map(
    ({ at, what, host, keyName }) =>
      `${minuteOf(at)}: ${texts[what](oneLine(host, 260))}${keyName === null ? '' : ` The key “${oneLine(keyName, 100)}” did it.`}`,
  );
  const origin = originOfService(
    `You received this email at ${to} because you own the organization.`,
    mailPageUrl(token),
  );
  return {
    to,
    subject: title,
    html: renderPage(
      <MailPage title={title} site={site}>
        <Heading>{title}</Heading>
        {sentences.map((sentence) => (
          <Paragraph>{sentence}</Paragraph>
        ))}
        <Paragraph>{note}</Paragraph>
        <Button url={url} ground={ACCENT}>
          {SEE}
        </Button>
        {origin.html}
      </MailPage>,
    ),
    text: `${[title, ...sentences, note, `${SEE}:\n${url}`, origin.text].join('\n\n')}\n${signature(site)}`,
    headers: origin.headers,
  };
}
