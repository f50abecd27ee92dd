import type { z } from 'zod';
import type { ManifestPointer } from '../policy/manifest';
import type { ApiKey } from '../records/api-keys';
import type { Collaborator } from '../records/collaborators';
import type { MadePicture } from '../records/presentations';
import type { Version } from '../records/versions';
import type { collaboratorRow, createdApiKey, VersionMode, versionRow } from './fields';

/** A new key with its raw value. */
export function createdKeyView(key: ApiKey & { raw: string }): z.output<typeof createdApiKey> {
  const { keyId, raw, keyPrefix, name, scopes } = key;
  return { keyId, raw, keyPrefix, name, scopes, createdAt: key.createdAt.toISOString() };
}

/** ISO 8601 with milliseconds, or null. */
export function iso(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

/** A takedown without what only operators need. */
export function takedownView(takedown: { at: Date; reason: string } | null | undefined) {
  return takedown ? { at: takedown.at.toISOString(), reason: takedown.reason } : null;
}

/** A made picture without what only pages of listings need. */
export function pictureView(picture: MadePicture | null | undefined) {
  return picture ? { sha256: picture.sha256, contentType: picture.contentType, size: picture.size } : null;
}

export function versionModeView(pinned: ManifestPointer | null): VersionMode {
  return pinned ? { type: 'pinned', version: pinned.version } : { type: 'latest' };
}

/** A version without its files. */
export function versionView(version: Version): z.output<typeof versionRow> {
  const { title, createdBy, message, restoredFrom, fileCount, totalBytes } = version;
  return {
    version: version.version,
    title,
    createdAt: version.createdAt.toISOString(),
    createdBy,
    message,
    restoredFrom,
    fileCount,
    totalBytes,
  };
}

export function collaboratorView(row: Collaborator): z.output<typeof collaboratorRow> {
  const { collaboratorId, email, status, invitedBy } = row;
  // An owner must not learn who an address belongs to by inviting it.
  const { userId, displayName } = row.isUnused ? { userId: null, displayName: null } : row;
  const times = {
    invitedAt: row.invitedAt.toISOString(),
    activatedAt: iso(row.activatedAt),
    revokedAt: iso(row.revokedAt),
  };
  return { collaboratorId, email, userId, displayName, role: 'dev', status, invitedBy, ...times };
}
