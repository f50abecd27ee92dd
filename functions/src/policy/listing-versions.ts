/** A version that a listing has shown. */
export interface ShownVersion {
  version: number;
  since: Date;
}

interface Shown {
  pinned: { version: number };
  versions: readonly ShownVersion[];
}

/** A listing keeps this many of the versions that it has shown, the present one included. */
export const MAX_VERSIONS = 20;

/** The versions that a listing has shown after it shows `next`, the present one last. */
export function versionsAfter({ pinned, versions }: Shown, next: number, now: Date): ShownVersion[] {
  if (pinned.version === next) return [...versions];
  return [...versions, { version: next, since: now }].slice(-MAX_VERSIONS);
}
