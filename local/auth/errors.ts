/** An error of the Identity Toolkit; its message starts with the code that the Admin SDK translates. */
export class AccountError extends Error {
  constructor(
    message: string,
    readonly status = 400,
    /** The canonical name that some errors carry besides their message. */
    readonly statusName?: string,
  ) {
    super(message);
  }

  toJSON() {
    const { status: code, message, statusName: status } = this;
    return { error: { code, message, status, errors: [{ message, reason: 'invalid', domain: 'global' }] } };
  }
}

export const userNotFound = () => new AccountError('USER_NOT_FOUND');
