import type * as Apps from 'firebase-admin/app';

/**
 * The Firebase app with this name; the app of the project without one. The Admin SDK is loaded at the first call,
 * because a function that serves views does not need it.
 */
export function firebaseApp(name?: string): Apps.App {
  // A call of `import` would make the users of the app wait for a promise.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { getApps, initializeApp } = require('firebase-admin/app') as typeof Apps;
  return getApps().find((app) => app.name === (name ?? '[DEFAULT]')) ?? initializeApp(undefined, name);
}
