import type * as Firestore from 'firebase-admin/firestore';

/**
 * The Admin SDK for Firestore. It is loaded at the first call, which takes longer than all other work of a cold start:
 * a function that serves views only reads documents and counts views, and never needs it.
 */
export function sdk(): typeof Firestore {
  // A call of `import` would make every query and every increment wait for a promise.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('firebase-admin/firestore') as typeof Firestore;
}
