/** An error of the JSON API: its status, its `reason` and a message in the cloud's words. */
export class CloudError extends Error {
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

export const invalid = (message: string) => new CloudError(400, 'invalid', message);

export const required = (parameter: string) =>
  new CloudError(400, 'required', `Required parameter: ${parameter}`, {
    locationType: 'parameter',
    location: parameter,
  });

export const noSuchBucket = () => new CloudError(404, 'notFound', 'The specified bucket does not exist.');

export const noSuchObject = (bucket: string, name: string) =>
  new CloudError(404, 'notFound', `No such object: ${bucket}/${name}`);

export const held = (bucket: string, name: string) =>
  new CloudError(
    403,
    'forbidden',
    `Object '${bucket}/${name}' is under active Temporary hold and cannot be deleted, overwritten or archived until hold is removed.`,
  );

export const noSuchUpload = () => new CloudError(404, 'notFound', 'The upload session does not exist or has expired.');

export const preconditionFailed = () =>
  new CloudError(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.', {
    locationType: 'header',
    location: 'If-Match',
  });

/** Answered with an empty body. */
export const notModified = () => new CloudError(304, 'notModified', 'Not Modified');

export const rangeNotSatisfiable = () =>
  new CloudError(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable', {
    locationType: 'header',
    location: 'Range',
  });
