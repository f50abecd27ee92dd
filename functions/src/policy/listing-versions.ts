/** A version that a listing has shown. `since` is null when the time is not known. */
export interface ShownVersion {
  version: number;
  since: Date | null;
}

interface Shown {
  pinned: { version: number };
  versions: readonly ShownVersion[];
}

/** A listing keeps this many of the versions that it has shown, the present one included. */
export const MAX_VERSIONS = 20;

/** The versions that a listing has shown, as far as they are known, the present one first. */
export function shownVersions({ pinned, versions }: Shown): ShownVersion[] {
  return versions.length > 0 ? versions.toReversed() : [{ version: pinned.version, since: null }];
}

/**
 * The versions that a listing has shown after it shows `next`, the present one last. A listing from before this history
 * begins it with the version that it shows, without a time: an earlier update may have changed the version.
 */
export function versionsAfter({ pinned, versions }: Shown, next: number, now: Date): ShownVersion[] {
  if (pinned.version === next) return [...versions];
  const known = versions.length > 0 ? versions : [{ version: pinned.version, since: null }];
  return [...known, { version: next, since: now }].slice(-MAX_VERSIONS);
}
