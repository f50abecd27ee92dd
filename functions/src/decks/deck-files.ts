import { readText } from '../blobs/blocks';
import type { Context } from '../context';
import { answerOf, MAX_RULES_BYTES, pathsFor, type DeckAnswer, type DeckRequest } from '../policy/deck-addresses';
import type { ManifestPointer } from '../policy/manifest';
import { findFiles } from '../records/manifests';

/**
 * What a version answers to a request on the origin of its deck. One round trip at most, and none when it is cached.
 */
export async function findAnswer(
  context: Context,
  presentationId: string,
  version: ManifestPointer,
  request: DeckRequest,
): Promise<Exclude<DeckAnswer, { readRules: unknown }>> {
  const files = await findFiles(context, presentationId, version, pathsFor(request));
  const answer = answerOf(request, files);
  if (!answer || !('readRules' in answer)) return answer;
  const rules = await readText({ context, presentationId, file: answer.readRules }, MAX_RULES_BYTES);
  const decided = answerOf(request, files, rules);
  return decided && 'readRules' in decided ? undefined : decided;
}
