/** An error of the Identity Toolkit. The message starts with the code that the Admin SDK translates. */
export class AccountError extends Error {
  constructor(
    message: string,
    readonly status = 400,
    /** The canonical status name, which the API adds to some errors. */
    readonly statusName?: string,
  ) {
    super(message);
  }

  toJSON() {
    const { status: code, message, statusName: status } = this;
    return { error: { code, message, status, errors: [{ message, reason: 'invalid', domain: 'global' }] } };
  }
}

/** The Admin SDK does not retry this status, unlike 503. */
export const diskFull = (message: string) => new AccountError(`INTERNAL : ${message}`, 507);

export const userNotFound = () => new AccountError('USER_NOT_FOUND');
