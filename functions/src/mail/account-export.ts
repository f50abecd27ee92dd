import { letter } from './letter';
import { minuteOf } from './minute';
import type { Mail } from './send';

/**
 * Tells the user of an account that its export is ready. The mail has no address of the export: who reads the mail of
 * another person gets nothing.
 */
export const exportReadyMail = (to: string, { parts, expiresAt }: { parts: number; expiresAt: Date }): Mail =>
  letter(to, 'Your export is ready', [
    `The export of your account has ${parts === 1 ? '1 part' : `${parts} parts`}. It is deleted at ${minuteOf(expiresAt)}.`,
    'Download it in the settings of the dashboard, or with the command: deck account export',
    'If you did not ask for it, somebody else is signed in to your account: sign out everywhere in the settings.',
  ]);

/** Tells the user that the job has given the export up. */
export const exportFailedMail = (to: string): Mail =>
  letter(to, 'Your export failed', [
    'The export of your account could not be made. Nothing in your account has changed.',
    'Ask for it again in the settings of the dashboard, or with the command: deck account export. When it fails again, tell the operator of this service.',
  ]);
