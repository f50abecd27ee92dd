import { z } from 'zod';
import { normalizePath, pathProblems } from '../policy/paths';
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

/** The files of a version: their paths follow the rules and differ in NFC, and the entry is one of them. */
export const manifestFields = { entryPath: path, files: z.array(file).min(1, 'A deck has at least its entry file.') };

interface ManifestInput {
  entryPath: string;
  files: z.output<typeof file>[];
}

/** What only the manifest as a whole can tell; goes with `manifestFields` in a `check`. */
export function checkManifest(context: z.core.ParsePayload<ManifestInput>): void {
  const { entryPath, files } = context.value;
  const seen = new Set<string>();
  files.forEach((each, i) => {
    if (seen.has(each.path)) {
      const message = 'The path stands twice (paths are compared in Unicode NFC).';
      context.issues.push({ code: 'custom', path: ['files', i, 'path'], message, input: each.path });
    }
    seen.add(each.path);
  });
  if (!seen.has(entryPath)) {
    context.issues.push({
      code: 'custom',
      path: ['entryPath'],
      message: 'entryPath is none of the files.',
      input: entryPath,
    });
  }
}
