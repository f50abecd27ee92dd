// `npm run bench -- --count`: instances of the viewer in processes, readers, and one engine that counts. The counts
// check the arithmetic of docs/performance.md. Times say nothing here: all processes share the processors.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { root } from '../scripts/root.mjs';
import { environmentOf, firstAnswer, startInstance } from './instances.mjs';
import { Connection, requestText } from './load.mjs';
import { Program } from './processes.mjs';
import { file, connect } from './service.mjs';

const INSTANCES = 20;
const DECKS = 30;
/** How many views a row has. */
const viewsOf = (readers) => Math.min(2000, 200 + 50 * readers);
const ASSETS = 10;
const BROWSER_CONNECTIONS = 6;

/** Runs every scenario, and passes its row on. */
export async function countAtEngine(node, onRow) {
  const service = await startEngine(node);
  const files = [
    file('index.html', 22_000, 'text/html'),
    ...Array.from({ length: ASSETS }, (_, i) => file(`a${i}.png`, 20_000, 'image/png')),
  ];
  const decks = [];
  for (let i = 0; i < DECKS; i++) decks.push(await service.push(i === 0 ? files : files.slice(0, 1)));
  const instances = await startInstances(node, environmentOf(service.ready), decks[0]);
  const [one, all] = [instances.slice(0, 1), instances];
  const [link] = decks;

  for (const readers of [1, 4, 16, 64]) {
    onRow(
      await entries(service, `1 instance, one link, ${readers} at once`, { instances: one, readers, decks: [link] }),
    );
  }
  onRow(
    await openings(service, `1 instance, 1 reader opens entry + ${ASSETS} assets`, {
      instances: one,
      readers: 1,
      link,
    }),
  );
  onRow(
    await openings(service, `1 instance, 10 readers open entry + ${ASSETS} assets`, {
      instances: one,
      readers: 10,
      link,
    }),
  );
  const readers = INSTANCES * 16;
  onRow(
    await entries(service, `${INSTANCES} instances, one link, ${readers} at once`, {
      instances: all,
      readers,
      decks: [link],
    }),
  );
  onRow(
    await entries(service, `${INSTANCES} instances, ${DECKS} decks, ${readers} at once`, {
      instances: all,
      readers,
      decks,
    }),
  );
}

/** Starts a local cloud whose engine counts. `pinned` runs it on the processor of the servers. */
export async function startEngine(node, { pinned = false } = {}) {
  const outfile = join(root, '.build/bench-engine.js');
  await build({
    entryPoints: [join(root, 'bench/engine-process.ts')],
    outfile,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  const program = new Program(node, [outfile], { pinned });
  return connect(await program.ready(), program);
}

/** Each instance has answered once before anything is counted. */
async function startInstances(node, environment, deck) {
  const path = `/${deck.presentationId}/_t/${deck.token}/`;
  const instances = [];
  for (let i = 0; i < INSTANCES; i++) {
    const instance = await startInstance(node, { name: 'getSharedPresentation', environment, pinned: false });
    await firstAnswer(`http://127.0.0.1:${instance.port}${path}`);
    instances.push(instance);
  }
  return instances;
}

/** Readers who ask for entries. Each reader uses one instance; the readers are spread evenly. */
async function entries(service, what, { instances, readers, decks }) {
  const texts = decks.map(({ presentationId, token }) => requestText(`/${presentationId}/_t/${token}/`));
  const views = viewsOf(readers);
  let left = views;
  const read = async (reader, failed) => {
    const connection = await Connection.open(instances[reader % instances.length].port);
    while (left-- > 0) {
      const { status } = await connection.send(texts[left % texts.length]);
      if (status !== 200) failed();
    }
    connection.close();
  };
  return count(service, { what, requests: views, views }, (failed) =>
    Promise.all(Array.from({ length: readers }, (_, reader) => read(reader, failed))),
  );
}

/** Readers whose browsers open a deck: the entry, then its assets over six connections. */
async function openings(service, what, { instances, readers, link }) {
  const openings = 100;
  const path = `/${link.presentationId}/_t/${link.token}/`;
  let left = openings;
  const read = async (reader, failed) => {
    const { port } = instances[reader % instances.length];
    const connections = await Promise.all(Array.from({ length: BROWSER_CONNECTIONS }, () => Connection.open(port)));
    const view = async (connection, name) => {
      if ((await connection.send(requestText(path + name))).status !== 200) failed();
    };
    while (left-- > 0) {
      await view(connections[0], '');
      let asset = ASSETS;
      await Promise.all(
        connections.map(async (connection) => {
          while (asset-- > 0) await view(connection, `a${asset}.png`);
        }),
      );
    }
    for (const connection of connections) connection.close();
  };
  return count(service, { what, requests: openings * (ASSETS + 1), views: openings }, (failed) =>
    Promise.all(Array.from({ length: readers }, (_, reader) => read(reader, failed))),
  );
}

/** Runs the readers, and divides what the engine counted by the views. */
async function count(service, { what, requests, views }, run) {
  const database = databaseOf(service.ready);
  const viewsBefore = await countedViews(database);
  await fetch(service.ready.countsUrl, { method: 'POST' });
  let errors = 0;
  await run(() => errors++);
  await settled(service.ready.countsUrl);
  const counts = await (await fetch(service.ready.countsUrl)).json();
  const counted = (await countedViews(database)) - viewsBefore;
  await database.terminate();
  const each = (value) => Number((value / requests).toFixed(3));
  return {
    what,
    requests,
    'reads a request': each(counts.documentReads),
    'writes a view': Number((counts.documentWrites / views).toFixed(3)),
    'read calls a request': each(counts.calls.BatchGetDocuments ?? 0),
    'commits a view': Number((counts.commits / views).toFixed(3)),
    'views counted': `${counted} of ${views}`,
    'refused commits': JSON.stringify(counts.refused),
    'writes a second to one counter, at most': counts.maxWritesPerSecond,
    errors,
  };
}

/** A view may be counted after its answer. Waits until the engine has written nothing for a second. */
async function settled(countsUrl) {
  for (let before = -1; ; await pause(1000)) {
    const { documentWrites } = await (await fetch(countsUrl)).json();
    if (documentWrites === before) return;
    before = documentWrites;
  }
}

export function databaseOf({ project, firestoreHost }) {
  const { Firestore } = createRequire(join(root, 'functions/package.json'))('@google-cloud/firestore');
  const [host, port] = firestoreHost.split(':');
  return new Firestore({ projectId: project, host, port: Number(port), ssl: false });
}

/** All views of all decks, as their counters have them. */
async function countedViews(database) {
  const { docs } = await database.collectionGroup('viewCounters').get();
  return docs.reduce((sum, counter) => sum + (counter.get('tokenId') === null ? counter.get('views') : 0), 0);
}
