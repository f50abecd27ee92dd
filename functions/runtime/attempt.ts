/** Runs a part of the script. Its failure is nothing that the deck may notice. */
export function attempt<T>(part: () => T): T | undefined {
  try {
    return part();
  } catch {
    return undefined;
  }
}
