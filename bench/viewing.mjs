// The rows about viewers: requests for the files of a deck, on the service and on the servers that it is compared with.
import { ensureChromium } from '../scripts/chromium.mjs';
import { Connection, requestText } from './load.mjs';
import { compareLoad, median } from './comparison.mjs';
import { inParallel } from './service.mjs';

const MIB = 1024 * 1024;
const REPETITIONS = 7;
/** As many connections as a browser opens to one host. */
const BROWSER_CONNECTIONS = 6;
/**
 * The decks that a row opens: first those that warm the code, then those that count. An account may create 60 decks in
 * an hour, which is enough for all rows.
 */
const WARMING_DECKS = 5;
const COLD_DECKS = WARMING_DECKS + 14;

/**
 * The rows whose server repeats one kind of request. `file` is a file of the large deck. superstatic answers neither
 * ranges nor 304.
 */
const loads = [
  { id: 'entry-16', what: 'entry of 22 KB, counted, 16 connections', file: 'index.html', connections: 16 },
  { id: 'entry-64', what: 'entry of 22 KB, counted, 64 connections', file: 'index.html', connections: 64 },
  { id: 'asset-16', what: 'asset of 119 KB, 16 connections', file: 'photo.png', connections: 16 },
  { id: '304-16', what: '304 on that asset, 16 connections', file: 'photo.png', connections: 16, known: true },
  { id: 'range-16', what: '1 MiB range of 40 MiB, 16 connections', file: 'film.mp4', connections: 16, range: MIB },
  { id: 'download-1', what: 'download of 40 MiB, 1 client', file: 'film.mp4', connections: 1, sliceMs: 1500 },
  { id: 'entry-1', what: 'entry, 1 connection, p50', file: 'index.html', connections: 1, isLatency: true },
];

/**
 * The rows that open decks. The first client reads only what it needs of an answer. The second is the `fetch` of Node,
 * which costs a reader about as much as most programs do, and keeps its connections from one deck to the next. The
 * third is what people open decks with. A reader is started for its row; its `open` returns a time in milliseconds.
 */
const openings = [
  { id: 'cold-deck', what: 'open a deck cold: entry + 10 assets, its time', startReader: () => readerOf(openDeck) },
  { id: 'cold-deck-fetch', what: 'the same, read with fetch', startReader: () => readerOf(fetchDeck) },
  { id: 'cold-deck-browser', what: 'the same, opened in Chromium', startReader: startBrowser },
];

/** How many decks the rows open cold. */
export const coldDecksOf = (ids) => openings.filter(({ id }) => ids.includes(id)).length * COLD_DECKS;

export const viewingRows = [...loads, ...openings].map(({ id }) => id);

/** Measures the rows and passes each on as soon as it is known. */
export async function measureViewing(servers, decks, ids, onRow) {
  const [main] = decks;
  // The first requests of a process run code that is not compiled yet.
  await compareLoad(servers, { connections: 16, repetitions: 0, sliceMs: 1500, work: workOf(main, loads[0]) });
  for (const row of loads.filter(({ id }) => ids.includes(id))) {
    const { connections, sliceMs } = row;
    const able = row.known || row.range ? servers.filter(({ name }) => name !== 'superstatic') : servers;
    const measured = await compareLoad(able, {
      connections,
      sliceMs,
      repetitions: REPETITIONS,
      work: workOf(main, row),
    });
    onRow(rowOf(row, measured));
  }
  // A deck is cold once, so each row has its own.
  const cold = decks.slice(1);
  for (const row of openings.filter(({ id }) => ids.includes(id)))
    onRow(await measureColdDecks(row, servers, cold.splice(0, COLD_DECKS)));
}

/** The requests of a row to a server, and the answer that each of them must have. */
function workOf(deck, { file: path, known, range }) {
  return async (server) => {
    const { size } = deck.files.find((file) => file.path === path);
    const address = server.pathOf(deck, path);
    if (known) {
      const text = requestText(address, { 'if-none-match': await etagOf(server, address) });
      return { next: () => text, expected: { status: 304, length: 0 } };
    }
    if (!range) {
      const text = requestText(address);
      return { next: () => text, expected: { status: 200, length: size } };
    }
    // Places that repeat after all of the file: every byte was read before, as for the viewers of one popular film.
    let at = 0;
    const next = () => {
      at = (at + 7 * range + 12_345) % (size - range);
      return requestText(address, { range: `bytes=${at}-${at + range - 1}` });
    };
    return { next, expected: { status: 206, length: range } };
  };
}

async function etagOf(server, address) {
  const connection = await Connection.open(server.port);
  const { head } = await connection.send(requestText(address));
  connection.close();
  return /\r\netag: *([^\r]+)/i.exec(head)[1];
}

/**
 * Opens decks as a browser does: the entry first, then ten assets at once. The servers have served other
 * decks before, and none of these: the service has no manifest and no bytes of the deck in its cache.
 */
async function measureColdDecks(row, servers, decks) {
  const runs = servers.map(({ name }) => ({ name, slices: [] }));
  const reader = await row.startReader();
  try {
    for (const [i, deck] of decks.entries()) {
      for (const [n, server] of servers.entries()) {
        const cpuBefore = server.processorMs();
        const ms = await reader.open(server, deck);
        const cpuMs = cpuBefore === undefined ? undefined : server.processorMs() - cpuBefore;
        if (i >= WARMING_DECKS) runs[n].slices.push({ p50: ms, rate: 1000 / ms, cpuMs });
      }
    }
  } finally {
    await reader.close();
  }
  return rowOf({ ...row, isLatency: true }, runs);
}

const readerOf = (openOne) => ({
  async open(server, deck) {
    const begunAt = performance.now();
    await openOne(server, deck);
    return performance.now() - begunAt;
  },
  async close() {},
});

/** A browser that opens each deck as a new person. The time is that of the page, until its pictures are there. */
async function startBrowser() {
  const { path, problem } = ensureChromium();
  if (problem) throw new Error(`A deck cannot be opened in Chromium: ${problem}.`);
  // The bench installs the packages after it has loaded this module.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: path,
    args: ['--disable-gpu', '--disable-background-networking'],
  });
  const open = async (server, deck) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const statuses = [];
    page.on('response', (answer) => statuses.push(answer.status()));
    await page.goto(`http://127.0.0.1:${server.port}${server.pathOf(deck, 'index.html')}`);
    const ms = await page.evaluate(() => {
      const [{ fetchStart, loadEventStart }] = performance.getEntriesByType('navigation');
      return loadEventStart - fetchStart;
    });
    await context.close();
    if (statuses.length !== deck.files.length || statuses.some((status) => status !== 200))
      throw new Error(`${server.name} answered ${statuses.join(', ')}.`);
    return ms;
  };
  return { open, close: () => browser.close() };
}

async function openDeck(server, deck) {
  const view = async (connection, { path, size }) => {
    const { status, length } = await connection.send(requestText(server.pathOf(deck, path)));
    if (status !== 200 || length !== size) throw new Error(`An answer ${status} of ${length} bytes.`);
  };
  const [entry, ...assets] = deck.files;
  const first = await Connection.open(server.port);
  await view(first, entry);
  const others = await Promise.all(Array.from({ length: BROWSER_CONNECTIONS - 1 }, () => Connection.open(server.port)));
  const connections = [first, ...others];
  await Promise.all(
    connections.map(async (connection) => {
      for (let asset = assets.pop(); asset; asset = assets.pop()) await view(connection, asset);
    }),
  );
  for (const connection of connections) connection.close();
}

async function fetchDeck(server, deck) {
  const view = async ({ path, size }) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${server.pathOf(deck, path)}`);
    const { byteLength } = await answer.arrayBuffer();
    if (answer.status !== 200 || byteLength !== size) throw new Error(`${answer.status}, ${byteLength} bytes.`);
  };
  const [entry, ...assets] = deck.files;
  await view(entry);
  await inParallel(BROWSER_CONNECTIONS, assets, view);
}

/** The row of the service against express, with what each server did. */
function rowOf({ id, what, isLatency = false }, runs) {
  const ours = runs.find(({ name }) => name === 'ours');
  const ratiosTo = (slices, key, isInverse) =>
    slices.map((slice, i) => (isInverse ? slice[key] / ours.slices[i][key] : ours.slices[i][key] / slice[key]));
  const ratios = ({ slices }) => ratiosTo(slices, isLatency ? 'p50' : 'rate', false);
  const express = runs.find(({ name }) => name === 'express');
  return {
    id,
    what,
    base: 'express',
    ratios: ratios(express),
    // The rates are compared by what a request costs: fewer milliseconds are a higher ratio.
    cpuRatios: ratiosTo(express.slices, 'cpuMs', !isLatency),
    details: runs.map((run) => ({ work: what, server: run.name, ...medians(run.slices), ratio: median(ratios(run)) })),
  };
}

function medians(slices) {
  const keys = ['rate', 'p50', 'p99', 'cpuMs', 'starved', 'clientBusy'].filter((key) => slices[0][key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, median(slices.map((slice) => slice[key]))]));
}
