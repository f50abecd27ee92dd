import { Failure, systemCode } from './failure';

/** Runs `work`, and converts a system error to a failure that names the file. */
export async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = systemCode(cause);
    if (cause instanceof Failure || code === undefined) throw cause;
    throw new Failure(`${path} cannot be written (${code}).`, {
      code: 'cannot-write',
      nextAction: 'Free disk space or allow writing, then try again. A download resumes.',
      details: { path },
      cause,
    });
  }
}
