import { version } from '../package.json';
import type { Contract } from '../../client/src/service/contract';
import { Failure } from '../../client/src/failure';
import { installCommand } from './command-line';

type ServiceInfo = Contract['getServiceInfo']['answer'];

/** The oldest version of the service that has every call of this client. */
const OLDEST_SERVICE = '0.1.0';

/**
 * Why this client and the service do not fit, with what to do. Undefined when they fit. A service that does not tell
 * which clients it works with is as old as the first client.
 */
export function misfit({ version: ofService, client }: ServiceInfo): Failure | undefined {
  if (client && isBefore(version, client.oldest))
    return new Failure(`This client (${version}) is too old for the service, which needs ${client.oldest} or newer.`, {
      code: 'client-too-old',
      nextAction: `Install the client of the service: ${installCommand(client.download, ofService)}`,
    });
  if (isBefore(ofService, OLDEST_SERVICE))
    return new Failure(`The service (${ofService}) is too old for this client (${version}).`, {
      code: 'service-too-old',
      nextAction: client && `Install the client of the service: ${installCommand(client.download, ofService)}`,
    });
  return undefined;
}

/** Compares versions of the form 1.2.3 by their numbers. A suffix such as -beta is ignored. */
export function isBefore(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => (/^\d+(\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number));
  for (let i = 0; i < Math.max(a!.length, b!.length); i++)
    if ((a![i] ?? 0) !== (b![i] ?? 0)) return (a![i] ?? 0) < (b![i] ?? 0);
  return false;
}
