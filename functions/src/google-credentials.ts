import type { GoogleAuth } from 'google-auth-library';

let library: Promise<GoogleAuth> | undefined;

/**
 * The headers that authorize a request to an API of Google: those of the service account of the function, or of the
 * account that is signed in on a developer's machine. The library keeps the token and gets the next one before the
 * token expires. It is loaded at the first call: requests to an emulator do not need it.
 */
export async function googleHeaders(): Promise<Headers> {
  library ??= import('google-auth-library').then(
    (loaded) => new loaded.GoogleAuth({ scopes: 'https://www.googleapis.com/auth/cloud-platform' }),
  );
  return (await library).getRequestHeaders();
}
