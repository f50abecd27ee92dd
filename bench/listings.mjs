// Writes listings into the database of a service, as if that many decks had been published.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../scripts/root.mjs';

const require = createRequire(join(root, 'functions/package.json'));

/** Loads the service's own functions for the tokens of a listing. */
async function loadPolicy() {
  const outfile = join(root, '.build/listings.cjs');
  await build({
    entryPoints: [join(root, 'functions/src/policy/listings.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    logLevel: 'warning',
  });
  return require(outfile);
}

/**
 * The listings of one commit. LMDB writes every changed page of the index anew, and the free list keeps the old ones: a
 * commit of 250 listings leaves the file longer, and fragmented for all commits after it.
 */
const BATCH = 25;

/** Writes `count` listings in batches, from three writers at a time. Returns the public id of one of 40 authors. */
export async function fillWithListings(service, count) {
  const { tokensOf, authorIdOf } = await loadPolicy();
  const { Firestore } = require('@google-cloud/firestore');
  const [host, port] = service.ready.firestoreHost.split(':');
  const database = new Firestore({ projectId: service.ready.project, host, port: Number(port), ssl: false });
  const kinds = ['presentation', 'app', 'plan'];
  const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, i) => i * BATCH);
  const writer = async () => {
    for (let start = batches.pop(); start !== undefined; start = batches.pop()) {
      const batch = database.batch();
      for (let i = start; i < Math.min(start + BATCH, count); i++) {
        const facets = {
          kind: kinds[i % 3],
          interactive: i % 3 === 1 || i % 5 === 0,
          category: `category ${i % 7}`,
          tags: [`tag${i % 40}`],
          techStack: [`tech${i % 25}`],
          lineage: [],
          ownerId: `owner${i % 40}`,
          title: `Quarterly report ${i}`,
          description: `One of many listings, about ${i === count - 1 ? 'solitude' : `topic${i % 60}`}.`,
        };
        const at = new Date(Date.UTC(2026, 0, 1) + i * 1000);
        batch.set(database.doc(`listings/listing-${i}`), {
          ...facets,
          slug: `listing-${i}`,
          generation: 1,
          presentationId: 'none',
          organizationId: 'none',
          status: 'public',
          versions: [{ version: 1, since: at }],
          source: null,
          usedByOthers: false,
          remixDays: {},
          takedown: null,
          deletedAt: null,
          stars: i % 90,
          remixCount: i % 11,
          viewCount: i,
          weekRemixCount: i % 5,
          createdAt: at,
          updatedAt: at,
          pinned: { version: 1, manifestId: 'none', shardCount: 1, entryPath: 'a.html', fileCount: 1, totalBytes: 1 },
          filters: tokensOf(facets),
        });
      }
      await batch.commit();
    }
  };
  await Promise.all([writer(), writer(), writer()]);
  await database.terminate();
  return { authorId: authorIdOf('owner7') };
}
