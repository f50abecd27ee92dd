import { MAX_RULES_BYTES } from '../../../functions/src/values/host-rules';
import type { TypedFile } from '../pushed-file';
import { basesOf, targetOf } from './addresses';
import type { ServiceInfo, Usage } from './ask-service';
import { capWarning, exceededCaps, exceedsSomePlan, type ExceededCap } from './check-caps';
import { checkFrame } from './check-frame';
import { checkForeignRules, checkPaths, checkRules, hasRules } from './check-paths';
import { checkReferences, type Asking } from './check-references';
import { cssReferences } from './css-references';
import { DeckPaths } from './deck-paths';
import { htmlReferences } from './html-references';
import type { Warning } from './warning';

/** Larger files are not read: they hold their pictures and scripts themselves. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_STYLESHEETS = 50;
/** Of so many files it is looked up whether the folder holds them. */
const MAX_LOOKUPS = 200;

export interface Deck<F extends TypedFile> {
  files: readonly F[];
  entryPath: string;
}

/** What the inspection reads of the files. */
export interface Reading<F> {
  /** The file as text. Undefined when it cannot be read any more. */
  text(file: F): Promise<string | undefined>;
  /** Whether the source holds a file that the push ignores. */
  isIgnored(path: string): Promise<boolean>;
}

export interface Examination {
  exceeded: ExceededCap[];
  warnings: Warning[];
}

/** What the service tells, asked once for a push. */
export interface Asked {
  info: Promise<ServiceInfo | undefined>;
  /** Asks for the usage at the first call. */
  usage: () => Promise<Usage | undefined>;
}

/**
 * Looks at the entry and its stylesheets, and at the sizes of all files. Never rejects: a push goes on whatever the
 * deck looks like.
 */
export async function inspectDeck<F extends TypedFile>(
  deck: Deck<F>,
  reading: Reading<F>,
  asked: Asked,
): Promise<Warning[]> {
  const { exceeded, warnings } = await examineDeck(deck, reading, asked);
  return [...exceeded.map(capWarning), ...warnings];
}

/** What `inspectDeck` finds, with the caps apart from what the viewers will miss. Never rejects. */
export async function examineDeck<F extends TypedFile>(
  deck: Deck<F>,
  reading: Reading<F>,
  asked: Asked,
): Promise<Examination> {
  try {
    // Parsing a large entry takes seconds, in which no answer of the service is received.
    const info = await asked.info;
    const exceeded = await exceededBy(deck, info, asked.usage);
    const askings = await readAskings(deck, reading);
    const paths = new DeckPaths(deck.files.map(({ path }) => path));
    const found = askings.flatMap((asking) => checkReferences(asking, paths, info?.deckOrigins));
    const framed = info?.deckOrigins === false ? await readFramed(deck, askings, reading, paths) : [];
    const reserved = info?.deckOrigins ? checkPaths(deck.files) : [];
    const rules = await readRules(deck, reading, info?.deckOrigins !== false);
    const warnings = [...(await findIgnored(found, reading)), ...framed, ...reserved, ...rules];
    return { exceeded, warnings };
  } catch (error) {
    const message = `The deck was not checked before the push: ${String(error)}`;
    return { exceeded: [], warnings: [{ code: 'not-checked', message }] };
  }
}

/** The question for the plan costs the service many reads. Most decks are below the caps of every plan. */
async function exceededBy(
  { files }: Deck<TypedFile>,
  info: ServiceInfo | undefined,
  askUsage: Asked['usage'],
): Promise<ExceededCap[]> {
  if (!info || !exceedsSomePlan(files, info)) return [];
  const usage = await askUsage();
  return usage ? exceededCaps(files, usage.plan, info) : [];
}

const readText = async <F extends TypedFile>(file: F | undefined, reading: Reading<F>) =>
  file && file.sizeBytes <= MAX_BYTES ? reading.text(file) : undefined;

/** What the deck loses in a frame. The scripts that the entry asks for are read. */
async function readFramed<F extends TypedFile>(
  { files }: Deck<F>,
  [entry]: readonly Asking[],
  reading: Reading<F>,
  paths: DeckPaths,
): Promise<Warning[]> {
  if (!entry) return [];
  const asked = new Set(entry.references.map(({ address }) => targetOf(address, entry.bases)?.path));
  const scripts: string[] = [];
  for (const file of files)
    if (asked.has(file.path) && /\.m?js$/i.test(file.path)) scripts.push((await readText(file, reading)) ?? '');
  return checkFrame({ ...entry, scripts }, paths);
}

/** The rules of other hosts that the service does not apply. */
async function readRules<F extends TypedFile>(
  { files, entryPath }: Deck<F>,
  reading: Reading<F>,
  hasOrigins: boolean,
): Promise<Warning[]> {
  const warnings = checkForeignRules(files);
  for (const file of files.filter(hasRules)) {
    const text = (await readText(file, reading)) ?? '';
    warnings.push(...checkRules(file.path, text.slice(0, MAX_RULES_BYTES), { entryPath, hasOrigins }));
  }
  return warnings;
}

/** The entry, and the stylesheets that it links to, with their addresses. */
async function readAskings<F extends TypedFile>({ files, entryPath }: Deck<F>, reading: Reading<F>): Promise<Asking[]> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const html = /\.x?html?$/i.test(entryPath) ? await readText(byPath.get(entryPath), reading) : undefined;
  if (html === undefined) return [];
  const { base, tool, references } = htmlReferences(html);
  const entry: Asking = { path: entryPath, bases: basesOf(entryPath, base), tool, references };
  const stylesheets = references
    .filter(({ kind }) => kind === 'stylesheet')
    .map(({ address }) => targetOf(address, entry.bases)?.path)
    .filter((path) => path !== undefined);
  const askings = [entry];
  for (const path of [...new Set(stylesheets)].slice(0, MAX_STYLESHEETS)) {
    const css = await readText(byPath.get(path), reading);
    if (css !== undefined) askings.push({ path, bases: basesOf(path), references: cssReferences(css) });
  }
  return askings;
}

/** A file that the deck lacks may be in the folder: a push ignores `node_modules`, and what `.deckignore` names. */
async function findIgnored(
  warnings: readonly Warning[],
  { isIgnored }: Pick<Reading<never>, 'isIgnored'>,
): Promise<Warning[]> {
  let lookups = 0;
  const checked: Warning[] = [];
  for (const warning of warnings) {
    const { code, path, source, address } = warning;
    const isLookedUp = code === 'missing-file' && path !== undefined && lookups++ < MAX_LOOKUPS;
    if (!isLookedUp || !(await isIgnored(path))) checked.push(warning);
    else
      checked.push({
        ...warning,
        code: 'ignored-file',
        message: `${source} asks for ${address}. A push ignores it.`,
        nextAction:
          'Copy them to another folder of the deck, or include them with a line such as "!node_modules/" in .deckignore.',
      });
  }
  return checked;
}
