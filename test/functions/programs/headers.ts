import { googleHeaders } from '../../../functions/src/google-credentials';

/** Prints the authorization of three requests, of which two begin at the same time. */
void (async () => {
  const together = await Promise.all([googleHeaders(), googleHeaders()]);
  for (const headers of [...together, await googleHeaders()]) console.log(headers.get('authorization'));
})();
