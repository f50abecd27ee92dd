import type { Merged } from '../deck-file';
import type { HashedFile } from '../folder/hash';
import type { Warning } from '../inspection/warning';
import { isFailure } from '../failure';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import type { FinishedPush } from './push-files';

/**
 * Tells the service that the pushed version has changes of the source of the remix, so that they conflict no more. The
 * push is done whether that succeeds or not: what the service was not told is told by the next push.
 */
export async function tellMerged(
  service: DeckService,
  outcome: FinishedPush<HashedFile>,
  merged: Merged,
  reporter: Reporter,
): Promise<FinishedPush<HashedFile>> {
  const { presentationId, version } = outcome;
  const { paths, sourceVersion } = merged;
  const input = { presentationId, expectedBaseVersion: version, paths: [], merged: paths, sourceVersion };
  const warned = (warning: Warning, untold?: Merged) => {
    reporter.onWarnings?.([warning]);
    return { ...outcome, warnings: [...outcome.warnings, warning], ...(untold && { untold }) };
  };
  try {
    await service.post('updateRemix', input, { idempotencyKey: crypto.randomUUID() });
    return outcome;
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { latest, state } = (error.details ?? {}) as { latest?: unknown; state?: unknown };
    // Nothing can be taken from this source any more, so that nothing conflicts.
    if (isFailure(error, 'conflict') && state !== undefined) return outcome;
    if (isFailure(error, 'conflict') && latest !== undefined)
      return warned({
        code: 'source-changed',
        message: 'The source of the remix changed again.',
        nextAction: 'Update the folder from the source once more.',
      });
    const message = 'The service was not told which changes of the source were merged. The next push tells it.';
    return warned({ code: 'merge-untold', message }, merged);
  }
}
