import { withDashboardSession } from '../account/dashboard-session';
import { requireEmail, withMailedCode, type CodeCommand } from '../account/one-time-code';
import { makeKeyWithRoom } from '../account/room-for-key';
import { resolveAddress, type Address, type AddressOptions } from '../address';
import { commandLine } from '../command-line';
import { Failure } from '../../../client/src/failure';
import { plain } from '../../../client/src/format';
import { connect } from '../connect';
import type { DeckService } from '../../../client/src/service/service';
import type { Terminal } from '../terminal';
import { findKey, type ListedKey, type Scope } from '../verbs/keys';

interface CodeOptions extends AddressOptions {
  email?: string;
  code?: string;
}

interface CreateOptions extends CodeOptions {
  name: string;
  scope?: Scope[];
  expiresInDays?: number;
}

export async function createKey(options: CreateOptions, terminal: Terminal): Promise<void> {
  const address = await resolveAddress(options);
  const { name, scope = ['presentations:write', 'presentations:read'], expiresInDays } = options;
  const given = [
    '--name',
    name,
    ...scope.flatMap((each) => ['--scope', each]),
    ...(expiresInDays === undefined ? [] : ['--expires-in-days', String(expiresInDays)]),
  ];
  await withKeysSession(['create', ...given], address, options, terminal, async (session) => {
    const nextAction = ({ keyPrefix }: ListedKey) =>
      `Revoke one of them first: ${commandLine('keys', 'revoke', keyPrefix)}`;
    const room = { keptPrefix: address.profile?.key?.keyPrefix, nextAction };
    const apiKey = await makeKeyWithRoom(session, { name, scopes: scope, expiresInDays }, room, terminal);
    const { bold, green } = terminal.colors;
    terminal.say(`${green('✓')} Made the key ${bold(plain(apiKey.name))} with ${apiKey.scopes.join(', ')}`);
    terminal.say(`\n  ${apiKey.raw}\n`);
    terminal.say('The key is shown only once. Scripts send it as DECK_API_KEY.');
    terminal.answer({ status: 'created', baseUrl: address.baseUrl, apiKey });
  });
}

export async function revokeKey(text: string, options: CodeOptions, terminal: Terminal): Promise<void> {
  const address = await resolveAddress(options);
  const key = address.profile?.key;
  // The name is looked up before a code is sent or used up.
  const found = key && (await atService(address, terminal, key.raw, (service) => findKey(service, text)));
  if (found?.isCaller)
    throw new Failure(`This computer uses the key ${found.keyPrefix}….`, {
      code: 'conflict',
      nextAction: `To revoke this key and delete it from this computer, run: ${commandLine('logout')}`,
    });
  await withKeysSession(['revoke', text], address, options, terminal, async (session) => {
    const { keyId, keyPrefix, name } = found ?? (await findKey(session, text));
    const { revokedAt } = await session.post('revokeApiKey', { keyId });
    const { bold, green } = terminal.colors;
    terminal.say(
      `${green('✓')} Revoked the key ${keyPrefix}… ${bold(plain(name))}. Copies of this key no longer work.`,
    );
    terminal.answer({ status: 'revoked', baseUrl: address.baseUrl, keyId, keyPrefix, name, revokedAt });
  });
}

/** Runs `work` with a dashboard session, for which a code is mailed. `words` are those of the command after `keys`. */
async function withKeysSession(
  words: string[],
  address: Address,
  options: CodeOptions,
  terminal: Terminal,
  work: (session: DeckService) => Promise<void>,
): Promise<void> {
  const known = options.email ?? address.profile?.key?.email;
  const example = commandLine('keys', ...words, '--email', 'you@example.com');
  const email = await requireEmail({ ...(known !== undefined && { email: known }) }, example, terminal);
  const again = ['keys', ...words, '--email', email];
  const command: CodeCommand = {
    purpose: 'login',
    email,
    again: commandLine(...again),
    next: commandLine(...again, '--code', '<code>'),
  };
  await atService(address, terminal, undefined, (service) =>
    withMailedCode(service, command, options, terminal, (entered) =>
      withDashboardSession(service, { email, ...entered }, terminal, (session) => work(session)),
    ),
  );
}

async function atService<T>(
  { baseUrl }: Address,
  terminal: Terminal,
  key: string | undefined,
  work: (service: DeckService) => Promise<T>,
): Promise<T> {
  const service = connect(baseUrl, terminal, key);
  try {
    return await work(service);
  } finally {
    service.close();
  }
}
