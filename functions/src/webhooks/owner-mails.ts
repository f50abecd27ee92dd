import { sendNotice } from '../mail/send-notice';
import { webhookChangesMail } from '../mail/webhook-changes';
import { read } from '../records/database';
import { hasStopped, mailTokenFor } from '../records/mail-recipients';
import { organizationRef } from '../records/organizations';
import { recipientKey } from '../records/recipient-key';
import { userRef } from '../records/users';
import { changesToTell, endTelling } from '../records/webhook-states';
import { SERVICE_ID } from '../values/mail-tokens';

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
  const key = await recipientKey();
  if (organization && owner && !(await hasStopped(key, owner.email, SERVICE_ID, now))) {
    const token = mailTokenFor(key, owner.email, { organizationId: SERVICE_ID, presentationId: SERVICE_ID });
    const mail = webhookChangesMail({ to: owner.email, token, organizationName: organization.name, changes });
    await sendNotice(mail, `webhooks-${organizationId}-${first.at.getTime()}-${changes.length}`);
  }
  await endTelling(organizationId, changes, now);
}
