import { targetOf, type BaseAddresses } from './addresses';
import type { DeckPaths } from './deck-paths';
import type { Reference } from './reference';
import type { Warning } from './warning';

/** The entry of a deck, and the scripts that it asks for. */
interface Entry {
  path: string;
  bases: BaseAddresses;
  /** What its page is made with; see `htmlReferences`. */
  tool?: Tool | undefined;
  references: readonly Reference[];
  scripts: readonly string[];
}

/** A tool with a speaker view, as its page shows it. */
export type Tool = 'reveal.js' | 'impress.js' | 'Marp' | 'Slidev';

const OPEN_HERE = 'Present with a copy of the deck that opens on your own computer.';

/** Spectacle leaves no mark in the page. This is the parameter of the address that opens its speaker view. */
const SPECTACLE = /presenterMode/;
/** The beginning of the router of Vue that keeps the slide in the fragment of the address. */
const HASH_ROUTER = /location\.host\s*\?/;

/**
 * What a deck loses on a service without deck origins, beside the files that it asks for: there it runs in a frame with
 * a sandbox, whose windows share nothing.
 */
export function checkFrame(entry: Entry, paths: DeckPaths): Warning[] {
  const { path, bases, references, scripts } = entry;
  const tool = entry.tool ?? (scripts.some((script) => SPECTACLE.test(script)) ? 'Spectacle' : undefined);
  const asked = references.map(({ address }) => targetOf(address, bases));
  const found: Warning[] = [];
  const isRelative = !asked.some((target) => target?.leavesFolder);
  if (tool === 'Slidev' && isRelative && scripts.length > 0 && !scripts.some((script) => HASH_ROUTER.test(script)))
    found.push({
      code: 'blank-router',
      path,
      message: 'Slidev looks for its slides by the path of the address. On this service the deck stays blank.',
      nextAction: 'Set `routerMode: hash` in the headmatter, then run `slidev build --base ./`.',
    });
  if (tool)
    found.push({
      code: 'no-speaker-view',
      path,
      message: `The speaker view of ${tool} does not work on this service: ${loss(tool)}.`,
      nextAction: OPEN_HERE,
    });
  for (const [i, target] of asked.entries())
    if (references[i]?.kind === 'document' && target && /\.pdf$/i.test(target.path) && paths.has(target.path, 'file'))
      found.push({
        code: 'blank-pdf',
        path: target.path,
        message: `${path}:${references[i].line} shows ${target.path} in a frame. On this service browsers leave it blank.`,
        nextAction: 'Link to the PDF, so that it opens in a tab.',
      });
  return found;
}

/** reveal.js and impress.js write into the window that they open; the others tell it the slide by the browser. */
const loss = (tool: string) =>
  ['reveal.js', 'impress.js'].includes(tool)
    ? 'its window stays blank'
    : 'its window and the deck do not follow each other';
