import { access, writeFile } from 'node:fs/promises';
import { basename, dirname, parse, resolve } from 'node:path';
import { Command } from 'commander';
import { readDeckFile, requireFolder, requireSource } from '../../../client/src/deck-file';
import { download } from '../../../client/src/download/download-deck';
import { Failure, systemCode } from '../../../client/src/failure';
import { count, formatBytes } from '../../../client/src/format';
import { onDisk } from '../../../client/src/on-disk';
import { openSource } from '../../../client/src/push/open-source';
import { temporaryFolder } from '../../../client/src/temporary-folder';
import { commandLine } from '../command-line';
import { isDeckId } from '../deck-id';
import { findBrowser } from '../drawing/find-browser';
import { terminalReporter } from '../reporter';
import { withSession, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { aboutDeck } from '../verbs/deck-failure';

interface PdfOptions extends CommonOptions {
  out?: string;
  entry?: string;
  force?: boolean;
}

/** A browser that takes longer hangs. */
const PATIENCE_MS = 10 * 60_000;

const HELP = `
Each slide is one page, as it looks after its last step. Its text can be selected and searched. Chrome, Chromium or Edge
prints the slides; CHROME_PATH names another browser. The page reaches the files of the deck and no other host.`;

export function pdfCommand(terminal: Terminal): Command {
  return new Command('pdf')
    .description('print a deck as PDF, a page for each slide')
    .argument('[deck]', 'a folder, an HTML file, a zip archive or a PDF, or the id of a deck', '.')
    .option('--out <file>', 'the PDF to write (default: the name of the folder, or the title of the deck)')
    .option('--entry <path>', 'the HTML file that opens the deck (default: as for a push)')
    .option('--force', 'overwrite a file that exists')
    .addHelpText('after', HELP)
    .action((deck: string, _options, self: Command) => runPdf(deck, self.optsWithGlobals(), terminal));
}

async function runPdf(deck: string, options: PdfOptions, terminal: Terminal): Promise<void> {
  const browser = await findBrowser();
  if (browser === undefined)
    throw new Failure('There is no Chrome, Chromium or Edge on this computer.', {
      code: 'no-browser',
      nextAction: 'Install one, or name it in CHROME_PATH.',
    });
  if (!isDeckId(deck)) return printSource(browser, await requireSource(deck), options, terminal);
  const { folder, close } = temporaryFolder('deck-pdf-');
  try {
    const title = await withSession(options, terminal, async ({ service }) => {
      const downloaded = await aboutDeck(deck, download(service, { presentationId: deck, folder }));
      return downloaded.title;
    });
    await printSource(browser, folder, { ...options, out: options.out ?? nameOf(title) }, terminal);
  } finally {
    await close();
  }
}

async function printSource(browser: string, path: string, options: PdfOptions, terminal: Terminal): Promise<void> {
  const { entry, force, out = nameOf(parse(basename(path)).name) } = options;
  const file = resolve(out);
  if (!force && (await isThere(file))) throw fileExists(file);
  await requireFolder(dirname(file));
  const { source, close } = await openSource(path);
  try {
    const remembered = (await readDeckFile(path))?.entryPath;
    const files = await source.read({ chosen: entry, remembered }, terminalReporter(terminal, path));
    // Only this command needs the printer and the library.
    const [{ printDeck }, { joinPdfs }] = await Promise.all([
      import('../drawing/print-deck.js'),
      import('../drawing/join-pdfs.js'),
    ]);
    const printed = await printDeck(browser, files, AbortSignal.timeout(PATIENCE_MS)).catch((cause: unknown) => {
      throw notPrinted(browser, cause);
    });
    const title = await source.title(files.files.find((each) => each.path === files.entryPath));
    const { bytes, pages } = await joinPdfs(printed.parts, title);
    const written = writeFile(file, bytes, { flag: force ? 'w' : 'wx' }).catch((error: unknown) => {
      throw systemCode(error) === 'EEXIST' ? fileExists(file) : error;
    });
    await onDisk(file, () => written);
    if (!printed.isWhole)
      terminal.warn(
        'The deck asks other hosts for scripts or styles. They were not loaded, so pages may look different.',
      );
    const { bold, green } = terminal.colors;
    terminal.say(`${green('✓')} Printed ${count(pages, 'page')} to ${bold(out)} (${formatBytes(bytes.length)})`);
    terminal.answer({ status: 'printed', file, pages, bytes: bytes.length });
  } finally {
    await close();
  }
}

/** A name that every file system takes. */
const nameOf = (title: string) =>
  `${
    title
      .replace(/[^\p{L}\p{N} ._-]+/gu, '')
      .trim()
      .slice(0, 80) || 'deck'
  }.pdf`;

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

const fileExists = (file: string) =>
  new Failure(`${file} exists.`, {
    code: 'file-exists',
    nextAction: 'Name another file with --out, or overwrite it with --force.',
  });

const notPrinted = (browser: string, cause: unknown) =>
  new Failure(`${browser} did not print the deck.`, {
    code: 'not-printed',
    nextAction: `${commandLine('doctor')} tells whether it starts. CHROME_PATH names another browser.`,
    cause,
  });
