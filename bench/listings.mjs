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

const kinds = ['presentation', 'app', 'plan'];

/** 30 of 2 000 words: half of the 500 characters that a description may have. */
const sentence = (i) => Array.from({ length: 30 }, (_, n) => `word${(i * 31 + n * n * 7) % 2000}`).join(' ');

/** The stored fields of a listing, as if its deck had been published. */
function fieldsOf(i, count) {
  const at = new Date(Date.UTC(2026, 0, 1) + i * 1000);
  return {
    kind: kinds[i % 3],
    interactive: i % 3 === 1 || i % 5 === 0,
    category: `category ${i % 7}`,
    tags: [`tag${i % 40}`],
    techStack: [`tech${i % 25}`],
    lineage: [],
    ownerId: `owner${i % 40}`,
    title: `Quarterly report ${i}`,
    description: `About ${i === count - 1 ? 'solitude' : `topic${i % 60}`}${i % 2 ? ' mountain' : ' harbour'}: ${sentence(i)}.`,
    slug: `listing-${i}`,
    generation: 1,
    presentationId: 'none',
    organizationId: 'none',
    status: 'public',
    versions: [{ version: 1, since: at }],
    source: null,
    usedByOthers: false,
    remixerDays: {},
    takedown: null,
    deletedAt: null,
    stars: i % 90,
    remixCount: i % 11,
    viewCount: i,
    remixerCount: i % 11,
    weekRemixerCount: i % 5,
    createdAt: at,
    updatedAt: at,
    pinned: {
      version: 1,
      manifestId: 'none',
      shardCount: 1,
      entryPath: 'a.html',
      isolation: null,
      fileCount: 1,
      totalBytes: 1,
    },
  };
}

/** The stored fields of `count` listings, without their tokens, and the public id of one of their 40 authors. */
export async function listingFields(count) {
  const { authorIdOf } = await loadPolicy();
  return { authorId: authorIdOf('owner7'), listings: Array.from({ length: count }, (_, i) => fieldsOf(i, count)) };
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
  const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, i) => i * BATCH);
  const writer = async () => {
    for (let start = batches.pop(); start !== undefined; start = batches.pop()) {
      const batch = database.batch();
      for (let i = start; i < Math.min(start + BATCH, count); i++) {
        const listing = fieldsOf(i, count);
        batch.set(database.doc(`listings/${listing.slug}`), { ...listing, filters: tokensOf(listing) });
      }
      await batch.commit();
    }
  };
  await Promise.all([writer(), writer(), writer()]);
  await database.terminate();
  return { authorId: authorIdOf('owner7') };
}
