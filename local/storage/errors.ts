/** An error of the Cloud Storage API: HTTP status, `reason`, and the cloud's message. */
export class StorageError extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly where: { locationType?: string; location?: string } = {},
  ) {
    super(message);
  }

  /** The body that the client libraries parse. */
  toJSON() {
    const { status: code, message, reason, where } = this;
    return { error: { code, message, errors: [{ message, domain: 'global', reason, ...where }] } };
  }
}

export const invalid = (message: string) => new StorageError(400, 'invalid', message);

export const required = (parameter: string) =>
  new StorageError(400, 'required', `Required parameter: ${parameter}`, {
    locationType: 'parameter',
    location: parameter,
  });

/** The upload protocol answers with plain text; the other errors of the JSON API are JSON. */
export class UploadError extends StorageError {
  constructor(message: string) {
    super(400, 'invalid', message);
  }
}

export const metadataTooLarge = () => new UploadError('Metadata part is too large.');

export const notServed = (what: string) => new StorageError(501, 'notImplemented', `${what} is not served locally.`);

export const noSuchBucket = () => new StorageError(404, 'notFound', 'The specified bucket does not exist.');

export const noSuchObject = (bucket: string, name: string) =>
  new StorageError(404, 'notFound', `No such object: ${bucket}/${name}`);

export const held = (bucket: string, name: string) =>
  new StorageError(
    403,
    'forbidden',
    `Object '${bucket}/${name}' is under active Temporary hold and cannot be deleted, overwritten or archived until hold is removed.`,
  );

export const noSuchUpload = () =>
  new StorageError(404, 'notFound', 'The upload session does not exist or has expired.');

export const preconditionFailed = () =>
  new StorageError(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.', {
    locationType: 'header',
    location: 'If-Match',
  });

/** The SDKs and clients do not retry this status, unlike 500 and 503. */
export const diskFull = (message: string) => new StorageError(507, 'insufficientStorage', message);

/** Answered with an empty body. */
export const notModified = () => new StorageError(304, 'notModified', 'Not Modified');

export const rangeNotSatisfiable = () =>
  new StorageError(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable', {
    locationType: 'header',
    location: 'Range',
  });
