import { Command } from 'commander';
import { readIn } from '../functions/src/records/database';
import { mailRecipientRef, noteArrival } from '../functions/src/records/mail-recipients';
import { recordAction } from '../functions/src/records/operator-actions';
import { storedRecipientKey } from '../functions/src/records/recipient-key';
import { transact } from '../functions/src/records/transact';
import { performs } from './action';
import { text } from './command-line';

export const allowMails = new Command('allow-mails')
  .description('mail an address again that bounced or complained; needs SERVICE_SECRET in the environment')
  .requiredOption('--email <address>', 'the address', text)
  .action(
    performs(async ({ email }: { email: string }, entry) => {
      const ref = mailRecipientRef(await storedRecipientKey(), email.toLowerCase());
      return {
        question: `Mail ${email} again`,
        run: () =>
          transact(async (tx) => {
            const at = new Date();
            const [stored] = await readIn(tx, ref);
            noteArrival(tx, ref, stored, at);
            // The log of the operators has no address.
            recordAction(tx, { ...entry, at, target: ref.id });
            return { wasStopped: Boolean(stored && (stored.bouncedAt || stored.complaints.length > 0)) };
          }),
      };
    }),
  );
