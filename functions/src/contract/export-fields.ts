import { z } from 'zod';
import { timeOrNull } from './fields';
import { example } from './example';

/** The fields of exports of accounts. */

export const exportId = z.uuidv7().meta({ description: 'Id of the export.', example: example.exportId });

export const exportStatus = z.enum(['waiting', 'running', 'ready', 'failed']).meta({
  description:
    'waiting: the job begins within a minute. running: it makes the parts. ready: all parts are made. failed: the job ' +
    'has given it up after 24 attempts; a new one may be asked for at once.',
  example: 'ready',
});

export const lastExportStatus = z.enum(['none', ...exportStatus.options]).meta({
  description: `none: there is no export, which only \`latest\` answers. ${exportStatus.meta()!.description}`,
  example: 'ready',
});

const count = (description: string, shown: number) => z.int().nonnegative().meta({ description, example: shown });

export const exportProgress = z
  .object({
    decks: count('Decks of which the parts have at least the records.', 12),
    decksInAll: count('Decks of the organization at the request.', 12),
    files: count('Files of decks in the parts.', 340),
    bytes: count('Bytes of these files.', 73_400_320),
  })
  .meta({ description: 'What the finished parts have.' });

export const exportPart = z
  .object({
    part: z.int().positive().meta({ description: 'Number of the part.', example: 1 }),
    fileName: z.string().meta({ description: 'File name of the part.', example: 'account-2026-03-14-part-001.zip' }),
    sizeBytes: count('Size of the part.', 73_512_004),
    sha256: z.string().meta({ description: 'SHA-256 of the part.', example: example.hash }),
    url: z.url().meta({
      description: 'Address at which the part can be downloaded, also in ranges, for 10 minutes.',
      example: 'https://storage.googleapis.com/decks/part-001.zip?X-Goog-Signature=5f1c',
    }),
  })
  .meta({ id: 'AccountExportPart', description: 'A ZIP file with a part of an export.' });

export const exportRequestedAt = timeOrNull(
  'When the export was asked for. Later changes are not in it. Null without an export.',
);
export const exportExpiresAt = timeOrNull(
  'When the export is deleted: 7 days after its last part, or after it has failed. Null before that.',
);
