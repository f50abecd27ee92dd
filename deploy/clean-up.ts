/** Does the work, then cleans up. An exit during the work cleans up, too: main.ts exits at Ctrl-C. */
export async function withCleanUp<T>(cleanUp: () => void, work: () => Promise<T>): Promise<T> {
  process.once('exit', cleanUp);
  try {
    return await work();
  } finally {
    process.off('exit', cleanUp);
    cleanUp();
  }
}
