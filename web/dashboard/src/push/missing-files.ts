import { isDrawn, type Destination, type Dropped } from 'deckhost-client/browser';
import { formatNumber } from '../format';
import { service } from '../service';
import { confirm } from '../ui/confirm';
import { words } from '../words/en';

/** How many paths the question names. */
const NAMED = 5;

/**
 * Asks before a new version that lacks most files of the current one: somebody may have chosen one page in place of its
 * folder. Resolves with whether the version is wanted. Rejects when the files of the current version are not known, and
 * when the person leaves before.
 */
export async function mayReplace(destination: Destination, { files }: Dropped, left: AbortSignal): Promise<boolean> {
  if (destination.kind === 'new-deck') return true;
  const { presentationId } = destination;
  const latest = { presentationId, version: 'latest' };
  const current = await service().get('getPresentationVersion', latest, { signal: left });
  const kept = new Set(files.map(({ path }) => path));
  const held = current.files.filter((file) => !isDrawn(file)).map(({ path }) => path);
  const missing = held.filter((path) => !kept.has(path));
  if (missing.length <= 1 || missing.length <= held.length / 2) return true;
  const { replaceTitle, replaceText, replace } = words.push;
  const counts = [missing.length, held.length].map((count) => formatNumber(count)) as [string, string];
  const named = missing.slice(0, NAMED);
  const title = replaceTitle(...counts);
  const text = replaceText(named, formatNumber(missing.length - named.length), formatNumber(current.version));
  return confirm({ title, text, action: replace, isSafe: true });
}
