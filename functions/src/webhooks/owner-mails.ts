import { sendNotice } from '../mail/send-notice';
import { webhookChangesMail } from '../mail/webhook-changes';
import { read } from '../records/database';
import { serviceTokenFor } from '../records/mail-recipients';
import { organizationRef } from '../records/organizations';
import { userRef } from '../records/users';
import { changesToTell, endTelling } from '../records/webhook-states';

/**
 * Mails the owner of an organization what was changed at its webhooks. A run that was cut off after the mail sends the
 * same one again, which the provider knows by its key.
 */
export async function tellOwner(organizationId: string, now: Date): Promise<void> {
  const changes = await changesToTell(organizationId, now);
  const [first] = changes;
  if (!first) return;
  const [organization] = await read(organizationRef(organizationId));
  const [owner] = await read(organization && userRef(organization.ownerId));
  const token = owner && (await serviceTokenFor(owner.email, now));
  if (organization && owner && token !== undefined) {
    const mail = webhookChangesMail({ to: owner.email, token, organizationName: organization.name, changes });
    await sendNotice(mail, `webhooks-${organizationId}-${first.at.getTime()}-${changes.length}`);
  }
  await endTelling(organizationId, changes, now);
}
