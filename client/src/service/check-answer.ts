import { isSlug } from '../slugs';
import type { Contract } from './contract';

const isHash = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isWhole = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === 'string';
/** A version of a deck is a number, one of the service has the form 1.2.3. */
const isVersion = (value: unknown) =>
  isWhole(value) || (typeof value === 'string' && /^\d+(\.\d+)*([-+][\w.+-]+)?$/.test(value));

/** Whether the value is an id as services make them: it has no slash, no space and no control character. */
export const isId = (value: unknown) => typeof value === 'string' && /^[^\s/\\\p{C}]{1,256}$/u.test(value);

/** Whether the value is an address that a browser opens, and not a program or a file. */
export const isWebAddress = (value: unknown) =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** The form of the fields that the client uses as a path, a size or an address, by their names in every answer. */
const forms: Record<string, (value: unknown) => boolean> = {
  sha256: isHash,
  size: isWhole,
  totalBytes: isWhole,
  fileCount: isWhole,
  version: isVersion,
  currentVersion: isWhole,
  oldest: isVersion,
  path: isText,
  entryPath: isText,
  title: isText,
  contentType: isText,
  presentationId: isId,
  sessionId: isId,
  id: isId,
  tokenId: isId,
  fileName: isId,
  slug: isStoredSlug,
  listingSlug: isStoredSlug,
  remixedFromSlug: isStoredSlug,
  url: isWebAddress,
  download: isWebAddress,
};

function isStoredSlug(value: unknown): boolean {
  return typeof value === 'string' && isSlug(value);
}

const formOf = (name: string) =>
  Object.hasOwn(forms, name) ? forms[name] : name.endsWith('Url') ? isWebAddress : undefined;

/** The fields without which the client cannot work with a row of a version's files. */
const fieldsOfFile = ['path', 'sha256', 'size', 'contentType'];

/**
 * What is wrong with an answer: the name of a field that does not have the form that the service gives it. Undefined
 * when nothing is wrong. A service may be hostile, or not be the service: fields become paths and sizes here.
 */
export function wrongField(call: keyof Contract, answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return 'data';
  // The rows in events have these names, too. The client uses none of them as a path, a size or an address.
  if (call === 'listEvents') return Array.isArray((answer as { events?: unknown }).events) ? undefined : 'events';
  const missing =
    call === 'getPresentationVersion'
      ? missingIn(answer)
      : call === 'compareRemix'
        ? missingInRemix(answer)
        : undefined;
  return missing ?? wrongIn(answer);
}

function wrongIn(value: object): string | undefined {
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    if (field === null || field === undefined) continue;
    const form = Array.isArray(value) ? undefined : formOf(name);
    if (form && !form(field)) return name;
    const inner = typeof field === 'object' ? wrongIn(field) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function missingIn(answer: object): string | undefined {
  const { files, ...version } = answer as Record<string, unknown>;
  if (!Array.isArray(files)) return 'files';
  return (
    lacking(version, ['version', 'entryPath', 'title']) ??
    files.map((file: unknown) => lacking(file, fieldsOfFile)).find((name) => name !== undefined) ??
    (isWhole(version['version']) ? undefined : 'version')
  );
}

/** The rows of which `deck remix --update` makes paths and sizes. */
function missingInRemix(answer: object): string | undefined {
  const { source, ...lists } = answer as Record<string, unknown>;
  const names = ['added', 'changed', 'removed', 'both'];
  const noList = names.find((name) => !Array.isArray(lists[name]));
  if (noList !== undefined) return noList;
  const rows = names.flatMap((name) => lists[name] as unknown[]);
  const files = (lists['both'] as (Record<string, unknown> | null)[])
    .flatMap((row) => [row?.['base'], row?.['here'], row?.['source']])
    .filter((file) => file !== null);
  return (
    lacking(source, ['slug', 'version', 'latest']) ??
    rows.map((row) => lacking(row, ['path'])).find((name) => name !== undefined) ??
    files.map((file) => lacking(file, fieldsOfFile)).find((name) => name !== undefined)
  );
}

function lacking(value: unknown, names: readonly string[]): string | undefined {
  const fields = (value ?? {}) as Record<string, unknown>;
  return names.find((name) => fields[name] === undefined || fields[name] === null);
}
