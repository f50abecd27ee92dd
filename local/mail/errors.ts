/** An error in the format of Resend: `{statusCode, name, message}`. */
export class MailError extends Error {
  constructor(
    readonly statusCode: number,
    override readonly name: string,
    message: string,
  ) {
    super(message);
  }

  toJSON() {
    const { statusCode, name, message } = this;
    return { statusCode, name, message };
  }
}

export const missingField = (field: string) =>
  new MailError(422, 'missing_required_field', `Missing \`${field}\` field.`);

export const invalidParameter = (field: string, message: string) =>
  new MailError(422, 'invalid_parameter', `Invalid \`${field}\` field. ${message}`);

export const diskFull = (message: string) => new MailError(507, 'application_error', message);

export const notFound = (message = 'The requested endpoint does not exist.') =>
  new MailError(404, 'not_found', message);
