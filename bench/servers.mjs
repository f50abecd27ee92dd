// Starts the service and the servers that it is compared with, on the same decks.
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../scripts/root.mjs';
import { Program, processorMs, waitedMs } from './processes.mjs';
import { file, fileOf, startService } from './service.mjs';

const here = join(root, 'bench');

/** Sizes of the files of a deck that one reader opens: an entry and ten assets, 400 KB together. */
const ASSET_KB = [4, 6, 10, 14, 20, 24, 40, 60, 80, 119];
const ENTRY_BYTES = 22_000;

/** A page that shows the pictures. What fills it up to its size differs from page to page. */
function entryOf(pictures = []) {
  const page = `<!doctype html><title>Deck</title>${pictures.map((path) => `<img src="${path}">`).join('')}<!--`;
  const filling = randomBytes(ENTRY_BYTES).toString('base64').slice(page.length, ENTRY_BYTES);
  return fileOf('index.html', Buffer.from(page + filling), 'text/html');
}

/** The large deck, whose rows repeat one request, and as many small decks as are opened cold. */
function deckFiles(coldDecks, hasFilm) {
  const main = [entryOf(), file('photo.png', 119_000, 'image/png')];
  if (hasFilm) main.push(file('film.mp4', 40 << 20, 'video/mp4'));
  const cold = () => {
    const assets = ASSET_KB.map((kb, i) => file(`a${i}.png`, kb * 1000, 'image/png'));
    return [entryOf(assets.map(({ path }) => path)), ...assets];
  };
  return [main, ...Array.from({ length: coldDecks }, cold)];
}

/**
 * A folder in memory, where there is one. A commit returns when the disk has its data, and no deployed function waits
 * for the disk of this machine.
 */
export const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Pushes the decks into a data folder, and writes their files for the other servers. Returns what the clients need. */
export async function prepareDecks(node, { coldDecks, hasFilm }) {
  const folder = mkdtempSync(join(scratch, 'decks-bench-'));
  const service = await startService({ node, data: join(folder, 'data') });
  const decks = [];
  try {
    for (const files of deckFiles(coldDecks, hasFilm)) {
      const { presentationId, token } = await service.push(files);
      decks.push({ presentationId, token, entryPath: 'index.html', files: files.map(({ row }) => row) });
      for (const { path, bytes } of files) {
        const target = join(folder, 'files', presentationId, path);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, bytes);
      }
    }
  } finally {
    await service.stop();
  }
  writeFileSync(join(folder, 'files', 'decks.json'), JSON.stringify(decks));
  return { folder, decks, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * The service in a second process on the data folder. It serves only viewers, as an instance of the viewer does in the
 * cloud: other functions would slow it down.
 */
async function startOurs(node, { folder }) {
  const data = join(folder, 'data');
  const args = [join(root, '.build/local.js'), '--ephemeral', '--data', data, '--json', '--no-schedules'];
  const program = new Program(node, args);
  const ready = await program.ready();
  const { port, pathname } = new URL(ready.baseUrl);
  return serverOf('ours', program, port, (deck, path) => `${pathname}/getSharedPresentation${linkPath(deck, path)}`);
}

async function startOther(node, name, { folder }, pathOf) {
  const files = join(folder, 'files');
  // superstatic reads a firebase.json of the folder that it runs in.
  const program = new Program(node, [join(here, 'servers', `${name}.mjs`), files], { cwd: files });
  return serverOf(name, program, (await program.ready()).port, pathOf);
}

const linkPath = ({ presentationId, token, entryPath }, path) =>
  `/${presentationId}/_t/${token}/${path === entryPath ? '' : path}`;

/** superstatic redirects from `index.html` to its folder. */
const staticPath = ({ presentationId, entryPath }, path) => `/${presentationId}/${path === entryPath ? '' : path}`;

function serverOf(name, program, port, pathOf) {
  return {
    name,
    pathOf,
    port: Number(port),
    pid: program.pid,
    processorMs: () => processorMs(program.pid),
    waitedMs: () => waitedMs(program.pid),
    stop: () => program.stop(),
  };
}

/** All servers, each in its own process on the same processor. The first one is what the others are divided by. */
export async function startServers(node, prepared) {
  return [
    await startOther(node, 'express', prepared, linkPath),
    await startOurs(node, prepared),
    await startOther(node, 'least-work', prepared, linkPath),
    await startOther(node, 'superstatic', prepared, staticPath),
  ];
}
