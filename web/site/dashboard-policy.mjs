/** The bucket's address for uploads in the cloud. The local one gets a port at each start. */
const BUCKET = 'https://storage.googleapis.com';
const LOCAL_PARTS = 'http://127.0.0.1:*';

/**
 * The Content-Security-Policy of the dashboard: scripts, styles and workers of this site only, requests only to the
 * site, the functions and the bucket. Trusted Types forbid to make markup or scripts of texts; one policy makes the
 * addresses of workers.
 */
export function dashboardPolicy({ baseUrl }) {
  const functions = new URL(baseUrl).origin;
  const isLocal = functions.startsWith('http://127.0.0.1:');
  return Object.entries({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    // Pictures of listings are files of the functions.
    'img-src': `'self' blob: data: ${isLocal ? LOCAL_PARTS : functions}`,
    'connect-src': `'self' ${isLocal ? LOCAL_PARTS : `${functions} ${BUCKET}`}`,
    'worker-src': "'self'",
    'frame-src': `'self' ${isLocal ? LOCAL_PARTS : functions}`,
    'base-uri': "'none'",
    'form-action': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': 'deckhost-workers',
  })
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}
