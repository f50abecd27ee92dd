/** An error of the Cloud Tasks API: its status, as HTTP and as gRPC name it. */
export class TaskError extends Error {
  constructor(
    readonly statusCode: number,
    readonly status: string,
    message: string,
  ) {
    super(message);
  }

  toJSON(): unknown {
    return { error: { code: this.statusCode, status: this.status, message: this.message } };
  }
}
