import type { Contract } from '../../../client/src/service/contract';
import { systemCode } from '../../../client/src/failure';
import { formatBytes } from '../../../client/src/format';
import type { DeckService } from '../../../client/src/service/service';
import { commandLine } from '../command-line';
import { misfit } from '../compatibility';
import { isThisComputer } from '../this-computer';
import { probe, type Probe } from './probe';
import { localDay } from '../show-time';

type ServiceInfo = Contract['getServiceInfo']['answer'];

/** One line of `deck doctor`. */
export interface Check {
  name: string;
  state: 'ok' | 'warning' | 'failed';
  message: string;
  nextAction?: string | undefined;
  /** The code of the failure, which decides the exit code. */
  code?: string;
}

/** A clock that is wrong by more makes times that the client shows misleading, and certificates invalid. */
const CLOCK_PATIENCE_SECONDS = 60;
const SOON_MILLISECONDS = 14 * 24 * 60 * 60 * 1000;

const ok = (name: string, message: string): Check => ({ name, state: 'ok', message });
const warning = (name: string, message: string, nextAction: string | undefined): Check => ({
  name,
  state: 'warning',
  message,
  nextAction,
});
const failed = (name: string, message: string, code: string, nextAction?: string): Check => ({
  name,
  state: 'failed',
  message,
  code,
  nextAction,
});

/** The checks of the way to the service: its name, its port, its certificate, the time. */
export async function checkConnection(baseUrl: string): Promise<Check[]> {
  let shown: Probe;
  try {
    shown = await probe(`${baseUrl}/getServiceInfo`);
  } catch (error) {
    return [unreachable(baseUrl, systemCode(error) ?? String(error))];
  }
  const { status, milliseconds, clockAheadSeconds = 0, certificateUntil } = shown;
  const checks = [ok('connection', `answered ${status} after ${milliseconds} ms`)];
  if (certificateUntil)
    checks.push(checkEnd('certificate', 'valid', certificateUntil, 'Tell the operator of the service.'));
  checks.push(
    Math.abs(clockAheadSeconds) <= CLOCK_PATIENCE_SECONDS
      ? ok('clock', 'the same time as the service')
      : warning(
          'clock',
          `${Math.abs(clockAheadSeconds)} s ${clockAheadSeconds > 0 ? 'behind' : 'ahead of'} the service`,
          'Set the clock of this computer.',
        ),
  );
  return checks;
}

function unreachable(baseUrl: string, reason: string): Check {
  const { host } = new URL(baseUrl);
  const isCertificate = /CERT|SELF_SIGNED|LEAF_SIGNATURE|ERR_TLS|ISSUER/.test(reason);
  const advice = isCertificate
    ? 'Check the clock. Behind a proxy that reads TLS, set NODE_EXTRA_CA_CERTS to its certificate.'
    : isThisComputer(new URL(baseUrl))
      ? 'Start the local cloud with `npm start` in the project, or name another address with --base-url.'
      : 'Check the network and the address (--base-url or DECK_BASE_URL).';
  const message = isCertificate ? `the certificate of ${host} is not accepted (${reason})` : `no answer (${reason})`;
  return failed('connection', message, 'unreachable', advice);
}

function checkEnd(name: string, what: string, end: Date, nextAction: string): Check {
  const day = localDay(end.toISOString());
  if (end.getTime() - Date.now() > SOON_MILLISECONDS) return ok(name, `${what} until ${day}`);
  return warning(name, `${what} only until ${day}`, nextAction);
}

/** Whether the client and the service fit, and what the service offers. */
export function checkService(info: ServiceInfo, baseUrl: string): Check[] {
  const { version, deckOrigins, marketplaceUrl, limits } = info;
  const problem = misfit(info, baseUrl);
  const versions = problem
    ? failed('versions', problem.message, problem.code, problem.nextAction)
    : ok('versions', `the service ${version} fits this client`);
  return [
    versions,
    ok(
      'decks',
      deckOrigins
        ? 'each link opens its deck on an origin of its own'
        : 'the service has no deck origins: decks run in a sandboxed frame',
    ),
    ok('marketplace', `${marketplaceUrl}/marketplace`),
    ok(
      'limits',
      `${formatBytes(limits.requestBytes)} a request, ${limits.keys} keys, ${limits.recipients} addresses a mail`,
    ),
  ];
}

/** Whether the service accepts the key, and for what. */
export async function checkKey(service: DeckService, source: string): Promise<Check[]> {
  const { organizationName, keyPrefix, scopes, expiresAt } = await service.post('verifyApiKey', {});
  const mayPublish = scopes.includes('marketplace:publish');
  return [
    ok('key', `${keyPrefix}… of ${organizationName ?? 'every organization'}, from ${source}`),
    ok('scopes', `${scopes.join(', ')}${mayPublish ? '' : `; to publish: ${commandLine('login', '--publish')}`}`),
    expiresAt === null
      ? ok('expiry', 'the key does not expire')
      : checkEnd('expiry', 'the key is valid', new Date(expiresAt), `Get a new one: ${commandLine('login')}`),
  ];
}
