import { isFailure } from '../../../client/src/failure';
import { withAccountSession } from '../account/account-session';
import { askCode } from '../account/one-time-code';
import type { AddressOptions } from '../address';
import { changeProfile, readProfiles } from '../profiles';
import { rememberOrWarn } from '../remember';
import type { Terminal } from '../terminal';

/** Gives the account another address, with a code from each of the two. */
export async function changeAccountEmail(
  newEmail: string,
  options: AddressOptions & { email?: string },
  terminal: Terminal,
): Promise<void> {
  await withAccountSession(['email', newEmail], options, terminal, async (session, { baseUrl, email }) => {
    const wanted = { purpose: 'change-email' as const, newEmail };
    const asked = await session.post('requestAccountCode', wanted, { canRepeat: false });
    const { requestToken, newRequestToken } = asked;
    const address = asked.newEmail ?? newEmail;
    terminal.say(`A code was sent to each of ${email} and ${address}. They are valid for 10 minutes.`);
    const codes = { code: await askCode(terminal, email), newCode: await askCode(terminal, address) };
    for (;;) {
      try {
        await session.post(
          'changeEmail',
          { newEmail: address, ...codes, requestToken, newRequestToken },
          { canRepeat: true },
        );
        break;
      } catch (error) {
        if (!isFailure(error, 'OTP_INVALID')) throw error;
        const field = (error.details as { field?: string } | undefined)?.field === 'newCode' ? 'newCode' : 'code';
        terminal.warn(error.message);
        codes[field] = await askCode(terminal, field === 'code' ? email : address);
      }
    }
    for (const { name, ...profile } of await readProfiles())
      if (profile.baseUrl === baseUrl && profile.key?.email === email)
        await rememberOrWarn(
          changeProfile(name, (found) => found?.key && { ...found, key: { ...found.key, email: address } }),
          terminal,
        );
    terminal.say(`${terminal.colors.green('✓')} You sign in with ${address} from now on.`);
    terminal.say(`A mail to ${email} has a link that takes the change back for 7 days.`);
  });
}
