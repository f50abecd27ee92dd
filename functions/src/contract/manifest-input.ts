import { z } from 'zod';
import { code } from '../errors';
import { largestCap } from '../policy/plans';
import { MAX_PATH_LENGTH, normalizePath, pathProblems } from '../values/paths';
import { boundedArray, contentType, sha256, size } from './fields';

const path = z.string().transform(normalizePath);

const file = z
  .object({
    path: path
      .check((context) => {
        for (const message of pathProblems(context.value))
          context.issues.push({ code: 'custom', message, input: context.value });
      })
      .meta({
        description:
          'Path of the file, relative to the deck. No empty, `.` or `..` segment, no slash at the start or the ' +
          'end, no backslash, no control character. Paths are stored in Unicode NFC.',
        example: 'index.html',
        minLength: 1,
        maxLength: MAX_PATH_LENGTH,
      }),
    sha256,
    size: size.meta({ description: 'Size of the file in bytes. It must be the size of the uploaded bytes.' }),
    contentType: contentType.meta({ description: 'MIME type with which the viewer serves the file.' }),
  })
  .meta({ id: 'ManifestEntry', description: 'A file of the new version.' });

const files = boundedArray(file, {
  max: largestCap('filesPerManifest'),
  tooMany: code('too-many-files'),
  min: 1,
  tooFew: 'A version needs at least one file.',
})
  .check((context) => {
    const seen = new Set<string>();
    context.value.forEach((each, i) => {
      if (seen.has(each.path)) {
        const message = 'The path is a duplicate. Paths are compared in Unicode NFC.';
        context.issues.push({ code: 'custom', path: [i, 'path'], message, input: each.path });
      }
      seen.add(each.path);
    });
  })
  .meta({
    description:
      'All files of the version. Paths must differ. The plan of the organization limits their number to 500 (free) ' +
      'to 10 000 (enterprise).',
  });

/** The files of a version. Their paths follow the rules of values/paths and differ in Unicode NFC. */
export const manifestFields = {
  entryPath: path.meta({
    description: 'Path of the HTML file that opens first. It must be one of the paths in `files`.',
    example: 'index.html',
  }),
  files,
};

/** Whether the entry is one of the files. The files may be invalid in other ways. */
export function hasEntry(input: { entryPath?: unknown; files?: unknown }): boolean {
  if (typeof input.entryPath !== 'string' || !Array.isArray(input.files)) return true;
  return input.files.some((each: { path?: unknown } | null | undefined) => each?.path === input.entryPath);
}
