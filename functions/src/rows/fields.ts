/** Fields of rows, as answers and events have them. */

/** ISO 8601 with milliseconds, or null. */
export function iso(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

/** A takedown without what only operators need. */
export function takedownView(takedown: { at: Date; reason: string } | null | undefined) {
  return takedown ? { at: takedown.at.toISOString(), reason: takedown.reason } : null;
}

/** A made picture without what only pages of listings need. */
export function pictureView(picture: { sha256: string; contentType: string; size: number } | null | undefined) {
  return picture ? { sha256: picture.sha256, contentType: picture.contentType, size: picture.size } : null;
}

/** The version that a link opens. */
export function versionModeView(pinned: { version: number } | null) {
  return pinned ? { type: 'pinned' as const, version: pinned.version } : { type: 'latest' as const };
}
