import { shorten } from '../format';
import { targetOf, type BaseAddresses } from './addresses';
import type { Tool } from './check-frame';
import type { DeckPaths } from './deck-paths';
import type { Reference } from './reference';
import type { Warning } from './warning';

/** A file of the deck with the addresses that it asks for. */
export interface Asking {
  path: string;
  bases: BaseAddresses;
  /** The tool that a page was made with. */
  tool?: Tool | undefined;
  references: readonly Reference[];
}

const BUILD_RELATIVE =
  "Build with relative addresses: `vite build --base ./` (base: './' in vite.config), `slidev build --base ./` with " +
  '`routerMode: hash` in the headmatter, ' +
  "`parcel build --public-url ./`, `ng build --base-href ./`, webpack: output.publicPath: 'auto'.";

/** Sources of scripts, which a build turns into JavaScript. */
const SOURCE = /\.([jt]sx|m?ts|vue|svelte)$/i;

/**
 * One warning for each file that a browser will not get. `deckOrigins` tells whether the service shows each deck on an
 * origin of its own; undefined when the service does not tell. A build changes all addresses, so a page that was not
 * built has no other warnings.
 */
export function checkReferences(asking: Asking, paths: DeckPaths, deckOrigins: boolean | undefined): Warning[] {
  const warnings = new Map<string, Warning>();
  for (const { address, line, kind } of asking.references) {
    const target = targetOf(address, asking.bases);
    const { path = '' } = target ?? {};
    if (!target || warnings.has(path)) continue;
    const problem = problemOf(target, kind, paths, deckOrigins);
    if (!problem) continue;
    const [written, source] = [shorten(address), `${asking.path}:${line}`];
    const message = `${source} asks for ${written}. ${problem.message}`;
    warnings.set(path, { ...problem, message, address: written, source });
  }
  const found = [...warnings.values()];
  const notBuilt = found.filter(({ code }) => code === 'not-built');
  return notBuilt.length > 0 ? notBuilt : found;
}

function problemOf(
  { path, leavesFolder }: { path: string; leavesFolder: boolean },
  kind: Reference['kind'],
  paths: DeckPaths,
  deckOrigins: boolean | undefined,
): Warning | undefined {
  if (kind === 'module' && SOURCE.test(path)) {
    const message = 'Browsers run it only after a build.';
    return { code: 'not-built', path, message, nextAction: 'Push the folder that the build made, such as dist.' };
  }
  const nextAction = BUILD_RELATIVE;
  if (paths.has(path, kind)) {
    if (!leavesFolder || deckOrigins !== false) return undefined;
    const loss = kind === 'module' || /\.m?js$/i.test(path) ? ': the deck stays blank' : '';
    const message = `This service looks for it outside of the deck${loss}.`;
    return { code: 'leaves-deck', path, message, nextAction };
  }
  const other = paths.inOtherCase(path);
  if (other !== undefined)
    return { code: 'case-differs', path: other, message: `The file is ${other}: upper and lower case differ.` };
  const rest = leavesFolder ? paths.belowOtherBase(path) : undefined;
  if (rest !== undefined) return { code: 'other-base', path: rest, message: `The file is ${rest}.`, nextAction };
  return { code: 'missing-file', path, message: `${path} is not in the folder.` };
}
