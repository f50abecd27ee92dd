import { Failure } from '../failure';
import type { ServiceInfo, Usage } from '../inspection/ask-service';
import { exceededCaps } from '../inspection/check-caps';
import { sumFiles, type PushedFile } from '../pushed-file';

/**
 * Throws what the service would answer to the commit of a new deck that exceeds a cap. The service's own dry run of a
 * new deck would open an upload session. Throws nothing when the service does not tell its caps.
 */
export function assertNewDeckFits(
  files: readonly PushedFile[],
  info: ServiceInfo | undefined,
  usage: Usage | undefined,
): void {
  if (!info || !usage) return;
  const caps = exceededCaps(files, usage.plan, info);
  // The service checks the number of files first, then each file, then their sum.
  const first =
    caps.find(({ code }) => code === 'too-many-files') ??
    caps.find(({ details }) => details.path !== undefined) ??
    caps[0];
  if (first) throw new Failure('The files exceed a limit of the plan.', first);
  assertRoom(usage, sumFiles(new Map(files.map((file) => [file.sha256, file])).values()).bytes);
}

/** Throws when the organization does not have room for one more deck of so many bytes. */
function assertRoom({ plan, decks, storedBytes, newDecksThisHour }: Usage, bytes: number): void {
  const claims = [
    { code: 'conflict', cap: decks, adds: 1, message: 'The organization has as many decks as its plan allows.' },
    {
      code: 'conflict',
      cap: storedBytes,
      adds: bytes,
      message: 'The decks of the organization store as many bytes as its plan allows.',
    },
    {
      code: 'rate-limited',
      cap: newDecksThisHour,
      adds: 1,
      message: 'The organization has created as many decks in the last hour as its plan allows.',
    },
  ];
  const exceeded = claims.find(({ cap, adds }) => adds > 0 && cap.used + adds > cap.limit);
  if (!exceeded) return;
  const { code, cap, adds, message } = exceeded;
  throw new Failure(message, {
    code,
    nextAction: code === 'conflict' ? 'Delete decks, or change the plan.' : 'Try again later.',
    details: { limit: cap.limit, actual: cap.used + adds, plan },
  });
}
