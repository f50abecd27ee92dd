/** The error that `work` throws. Throws when `work` does not. */
export function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('It should have failed.');
}
