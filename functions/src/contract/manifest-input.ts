import { z } from 'zod';
import { largestCap } from '../policy/plans';
import { normalizePath, pathProblems } from '../values/paths';
import { contentType, sha256 } from './fields';

const path = z.string().transform(normalizePath);

const file = z.object({
  path: path.check((context) => {
    for (const message of pathProblems(context.value))
      context.issues.push({ code: 'custom', message, input: context.value });
  }),
  sha256,
  size: z.int().nonnegative(),
  contentType,
});

const files = z
  .array(z.unknown())
  .min(1, 'A deck has at least its entry file.')
  // More than any plan allows is not even looked at.
  .max(largestCap('filesPerManifest'), 'too-many-files')
  .pipe(z.array(file))
  .check((context) => {
    const seen = new Set<string>();
    context.value.forEach((each, i) => {
      if (seen.has(each.path)) {
        const message = 'The path stands twice (paths are compared in Unicode NFC).';
        context.issues.push({ code: 'custom', path: [i, 'path'], message, input: each.path });
      }
      seen.add(each.path);
    });
  });

/** The files of a version: their paths follow the rules and differ in NFC. */
export const manifestFields = { entryPath: path, files };

/** Whether the entry is one of the files; asked of files that may be wrong in other ways, too. */
export function hasEntry(input: { entryPath?: unknown; files?: unknown }): boolean {
  if (typeof input.entryPath !== 'string' || !Array.isArray(input.files)) return true;
  return input.files.some((each: { path?: unknown } | null | undefined) => each?.path === input.entryPath);
}
