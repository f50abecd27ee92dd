import { z } from 'zod';
import { withAccountCode } from '../../accounts/account-codes';
import { serviceSecret } from '../../config';
import { exportId, exportStatus } from '../../contract/export-fields';
import { oneTimeCode, requestToken } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { accountExportRef, assertExportDue, createExport } from '../../records/account-exports';
import { readIn } from '../../records/database';
import { usageRef } from '../../records/organization-usage';

export const Input = z.object({ code: oneTimeCode, requestToken });

export const Answer = z.object({ exportId, status: exportStatus });

export const exportAccount = endpoint({
  name: 'exportAccount',
  about:
    'Asks for an export of the account, with a code that requestAccountCode mailed for it. A job makes ZIP files with ' +
    'every version of every deck, and with links, mails, views, events and listings as JSON, without tokens and ' +
    'secrets. A mail says when it is ready. An organization gets one export in 7 days, or another one after one that failed.',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  isIdempotent: true,
  isAccepted: true,
  errors: [
    'OTP_INVALID',
    'OTP_NOT_FOUND',
    'OTP_EXPIRED',
    'OTP_ALREADY_USED',
    'OTP_PURPOSE_MISMATCH',
    'OTP_LOCKED_OUT',
    'IP_RATE_LIMITED',
    'rate-limited',
  ],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 7, reads: 8, writes: 4 },

  async handle({ input, caller: { organizationId, userId }, clientAddress, now, idempotency }) {
    // The code of the first call is used.
    const earlier = await idempotency.find();
    if (earlier) return earlier as z.input<typeof Answer>;
    return withAccountCode({ ...input, userId, clientAddress, now }, 'export', async (tx) => {
      const [last, usage] = await readIn(tx, accountExportRef(organizationId), usageRef(organizationId));
      assertExportDue(last, now);
      const request = { organizationId, requestedBy: userId, decks: usage?.decks ?? 0 };
      const { exportId: id, status } = createExport(tx, request, now);
      const answer = { exportId: id, status };
      idempotency.finish(tx, answer);
      return answer;
    });
  },
});
