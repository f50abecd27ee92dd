import { version } from '../package.json';
import type { Contract } from '../../client/src/service/contract';
import { Failure } from '../../client/src/failure';
import { installCommand } from './command-line';
import { isOpenToOthers } from './this-computer';

type ServiceInfo = Contract['getServiceInfo']['answer'];

/** The oldest version of the service that has every call of this client. */
const OLDEST_SERVICE = '0.1.0';

/**
 * Why this client and the service do not fit, with what to do. Undefined when they fit. A service that does not tell
 * which clients it works with is as old as the first client.
 */
export function misfit(info: ServiceInfo, baseUrl: string): Failure | undefined {
  const { version: ofService, client } = info;
  if (client && isBefore(version, client.oldest))
    return new Failure(`This client (${version}) is too old for the service, which needs ${client.oldest} or newer.`, {
      code: 'client-too-old',
      nextAction: howToInstall(info, baseUrl),
    });
  if (isBefore(ofService, OLDEST_SERVICE))
    return new Failure(`The service (${ofService}) is too old for this client (${version}).`, {
      code: 'service-too-old',
      nextAction: client && howToInstall(info, baseUrl),
    });
  return undefined;
}

/**
 * The command that installs the client of the service. npm runs what it installs, so that the address must be encrypted
 * or on this computer, on the host of the service or of its site, and told over a connection that nobody can change.
 */
function howToInstall({ client, version: ofService, viewerUrl }: ServiceInfo, baseUrl: string): string {
  const download = URL.canParse(client.download) ? new URL(client.download) : undefined;
  const hosts = [baseUrl, viewerUrl].filter((url) => URL.canParse(url)).map((url) => new URL(url).host);
  const isSafe = [download, new URL(baseUrl)].every((url) => url && !isOpenToOthers(url));
  if (!download || !isSafe || !hosts.includes(download.host)) return 'Ask the operator of the service for its client.';
  return `Install the client of the service: ${installCommand(download.href, ofService)}`;
}

/** Compares versions of the form 1.2.3 by their numbers. A suffix such as -beta is ignored. */
export function isBefore(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => (/^\d+(\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number));
  for (let i = 0; i < Math.max(a!.length, b!.length); i++)
    if ((a![i] ?? 0) !== (b![i] ?? 0)) return (a![i] ?? 0) < (b![i] ?? 0);
  return false;
}
