/** What `work` throws. That it throws at all is part of the test. */
export function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('It should have failed.');
}
