import { readText } from '../blobs/blocks';
import { currentContext, type Context } from '../context';
import { answerOf, pathsFor, type DeckAnswer, type DeckRequest } from '../policy/deck-addresses';
import type { ManifestFile, ManifestPointer } from '../policy/manifest';
import { findFiles } from '../records/manifests';
import { HEADERS, MAX_RULES_BYTES, readHeaders, type Isolation } from '../values/host-rules';

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

/** The isolation for which the files of a new version ask. One call of the bucket when they have rules, else none. */
export async function readIsolation(presentationId: string, files: readonly ManifestFile[]): Promise<Isolation | null> {
  const file = files.find(({ path }) => path === HEADERS);
  if (!file) return null;
  const text = await readText({ context: currentContext()!, presentationId, file }, MAX_RULES_BYTES);
  return readHeaders(text).isolation;
}
