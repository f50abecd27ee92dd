import { openSession } from '../../accounts/sessions';
import { assertCodeWithoutName, completeSignup } from '../../accounts/signup';
import { serviceSecret } from '../../config';
import { createdSession, isNewUser, signupInput } from '../../contract/account-fields';
import { endpoint } from '../../http/endpoint';
import { MB } from '../../values/units';

export const Answer = createdSession.extend({ isNewUser });

export const completeDashboardSignup = endpoint({
  name: 'completeDashboardSignup',
  about:
    'Creates an account from a code of cliRequestSignupOtp: a user, an organization that this user owns, and a ' +
    'dashboard session, but no API key. When the call fails, no account is created. A call without a first ' +
    'name checks the code and does not use it. Pending invitations of the address become active.',
  method: 'POST',
  caller: 'anyone',
  limit: 3 * MB,
  input: signupInput.omit({ apiKey: true }),
  answer: Answer,
  errors: [
    'EMAIL_REQUIRED',
    'OTP_INVALID',
    'USER_FIRST_NAME_REQUIRED',
    'USER_NAME_TOO_LONG',
    'COMPANY_NAME_TOO_LONG',
    'BRAND_COLOR_INVALID',
    'LOGO_TOO_LARGE',
    'LOGO_INVALID_FORMAT',
    'LOGO_DECODE_FAILED',
    'OTP_NOT_FOUND',
    'OTP_EXPIRED',
    'OTP_ALREADY_USED',
    'OTP_PURPOSE_MISMATCH',
    'USER_ALREADY_HAS_ORGANIZATION',
    'OTP_LOCKED_OUT',
    'IP_RATE_LIMITED',
    'INTERNAL',
  ],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 6, reads: 10, writes: 7 },

  onRefusedInput: assertCodeWithoutName,

  async handle({ input, clientAddress, header, now }) {
    const { credential, isNewUser } = await completeSignup(input, { clientAddress, now }, (tx, user, name) =>
      openSession(tx, user, { organizationId: user.organizationId, name }, { userAgent: header('user-agent'), now }),
    );
    return { ...credential, isNewUser };
  },
});
