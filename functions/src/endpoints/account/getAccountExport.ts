import { z } from 'zod';
import { signedPartUrls } from '../../blobs/export-parts';
import {
  exportExpiresAt,
  exportId,
  exportPart,
  exportProgress,
  exportRequestedAt,
  lastExportStatus,
} from '../../contract/export-fields';
import { example } from '../../contract/example';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { partFileName } from '../../policy/account-exports';
import { accountExportRef, type AccountExport } from '../../records/account-exports';
import { read } from '../../records/database';
import { iso } from '../../rows/fields';

export const Input = z.object({
  exportId: z.union([exportId, z.literal('latest')]).meta({
    description: 'Id of the export, or `latest`: the last one of the organization, or none.',
    example: 'latest',
  }),
});

export const Answer = z.object({
  exportId: exportId.nullable().meta({ description: 'Id of the export. Null without one.', example: example.exportId }),
  status: lastExportStatus,
  requestedAt: exportRequestedAt,
  progress: exportProgress,
  parts: z.array(exportPart).meta({ description: 'The parts. Empty until all are made.' }),
  expiresAt: exportExpiresAt,
});

const NONE = {
  exportId: null,
  status: 'none' as const,
  requestedAt: null,
  progress: { decks: 0, decksInAll: 0, files: 0, bytes: 0 },
  parts: [],
  expiresAt: null,
};

export const getAccountExport = endpoint({
  name: 'getAccountExport',
  about:
    'Tells how far an export of the account is, and, when it is ready, the addresses of its parts. Each part is a ZIP ' +
    'file with whole files: extract all of them into one folder, and open its `index.html`.',
  method: 'GET',
  caller: 'session',
  path: ['exportId'],
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'read' },
  cost: { roundTrips: 2, reads: 3, writes: 0 },

  async handle({ input: { exportId: id }, caller: { organizationId }, now }) {
    const [found] = await read(accountExportRef(organizationId));
    const kept = found?.expiresAt && found.expiresAt <= now ? undefined : found;
    if (!kept && id === 'latest') return NONE;
    if (!kept || (id !== 'latest' && id !== kept.exportId)) {
      return fail('not-found', undefined, {
        message: 'There is no such export.',
        nextAction: 'Ask for a new one with exportAccount. An export is deleted after 7 days.',
      });
    }
    const { status, requestedAt, expiresAt, decks, progress } = kept;
    return {
      exportId: kept.exportId,
      status,
      requestedAt: requestedAt.toISOString(),
      progress: { ...progress, decksInAll: decks },
      parts: await partRows(kept),
      expiresAt: iso(expiresAt),
    };
  },
});

/** The parts with addresses. None of an export that is not ready. */
async function partRows({ status, requestedAt, parts }: AccountExport): Promise<z.input<typeof exportPart>[]> {
  if (status !== 'ready') return [];
  const named = parts.map((part, i) => ({ ...part, part: i + 1, fileName: partFileName(requestedAt, i + 1) }));
  const urls = await signedPartUrls(named);
  return named.map(({ objectName: _, ...row }, i) => ({ ...row, url: urls[i]! }));
}
