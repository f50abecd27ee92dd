/** Sizes in bytes. The service counts in powers of 1024. */
export const KB = 1024;
export const MB = 1024 * KB;
export const GB = 1024 * MB;

/** A day in milliseconds, and in seconds. */
export const DAY_MS = 86_400_000;
export const DAY_SECONDS = 86_400;
