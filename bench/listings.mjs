// Fills the database of a service with listings, as publishing as many decks would have left them.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../scripts/root.mjs';

const require = createRequire(join(root, 'functions/package.json'));

/** The service's own way of saying under what a listing is found. */
async function tokensOfListings() {
  const outfile = join(root, '.build/listings.cjs');
  await build({
    entryPoints: [join(root, 'functions/src/policy/listings.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    logLevel: 'warning',
  });
  return require(outfile).tokensOf;
}

/** Writes `count` listings, a few hundred at a time. */
export async function fillWithListings(service, count) {
  const tokensOf = await tokensOfListings();
  const { Firestore } = require('@google-cloud/firestore');
  const [host, port] = service.ready.firestoreHost.split(':');
  const database = new Firestore({ projectId: service.ready.project, host, port: Number(port), ssl: false });
  const kinds = ['presentation', 'app', 'plan'];
  const batches = Array.from({ length: Math.ceil(count / 250) }, (_, i) => i * 250);
  const lane = async () => {
    for (let start = batches.pop(); start !== undefined; start = batches.pop()) {
      const batch = database.batch();
      for (let i = start; i < Math.min(start + 250, count); i++) {
        const facets = {
          kind: kinds[i % 3],
          interactive: i % 3 === 1 || i % 5 === 0,
          category: `category ${i % 7}`,
          tags: [`tag${i % 40}`],
          techStack: [`tech${i % 25}`],
          lineage: [],
        };
        const at = new Date(Date.UTC(2026, 0, 1) + i * 1000);
        batch.set(database.doc(`listings/listing-${i}`), {
          ...facets,
          ...{ slug: `listing-${i}`, presentationId: 'none', ownerId: 'none', organizationId: 'none' },
          ...{ title: `Listing ${i}`, description: 'One of many.', status: 'public', takedown: null, deletedAt: null },
          ...{ stars: i % 90, remixCount: i % 11, viewCount: i, createdAt: at, updatedAt: at },
          pinned: { version: 1, manifestId: 'none', shardCount: 1, entryPath: 'a.html', fileCount: 1, totalBytes: 1 },
          filters: tokensOf(facets),
        });
      }
      await batch.commit();
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  await database.terminate();
}
