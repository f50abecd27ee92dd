import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { type Computer, type Screen, testbed } from './testbed';

/** Users with keys, and commands that need a mailed code. */

/** Keys of several computers are told apart by name. */
export const NAME = `CLI default key (${hostname()})`;

export type Key = Record<'keyId' | 'raw' | 'keyPrefix' | 'name', string> & { isCaller: boolean };

export const keysOf = async (computer: Computer) => (await computer.done<{ keys: Key[] }>('keys')).keys;
export const whoami = (by: Computer, key: string) => by.deck(['whoami', '--json'], { DECK_API_KEY: key });
export const wrongFor = (code: string) => (code === '123456' ? '654321' : '123456');

export async function anOwner(): Promise<{ computer: Computer; email: string }> {
  const email = testbed.anEmail();
  return { computer: await testbed.aSignedInComputer(email), email };
}

/** Has a code sent, and returns the words that pass it on. */
export async function aCode(computer: Computer, email: string, ...args: string[]): Promise<string[]> {
  await testbed.later(31);
  await computer.done(...args);
  return [...args, '--code', await testbed.newestCode(email)];
}

/** Types the code that was mailed to an address when the terminal asks for it; after a wrong one that is refused. */
export async function typeCode(screen: Screen, email: string, question = 'Code from the mail', refusal?: string) {
  await screen.shows(question);
  const code = await testbed.newestCode(email);
  if (refusal) {
    screen.type(`${wrongFor(code)}\r`);
    await screen.shows(refusal);
  }
  screen.type(`${code}\r`);
}

/** Starts a command in a terminal that first asks for a code, and types it. */
export async function withCodeTyped(computer: Computer, email: string, ...args: string[]): Promise<Screen> {
  await testbed.later(31);
  const screen = computer.inTerminal(args);
  await typeCode(screen, email);
  return screen;
}

/** Runs a command that needs a code: the first run has it sent, and the second sends it. */
export const withCode = async (computer: Computer, email: string, ...args: string[]) =>
  computer.done(...(await aCode(computer, email, ...args)));
export const login = (computer: Computer, email: string, ...options: string[]) =>
  withCode(computer, email, 'login', '--email', email, ...options);

/** Adds keys until the organization of the computer has 20. */
export async function fillKeys(computer: Computer): Promise<void> {
  const raw = await computer.key();
  await testbed.withDatabase(async (database) => {
    const keys = database.collection('apiKeys');
    const own = (await keys.doc(createHash('sha256').update(raw).digest('hex')).get()).data()!;
    const batch = database.batch();
    for (let made = 1; made < 20; made++) {
      const number = String(made).padStart(2, '0');
      batch.create(keys.doc(), { ...own, keyId: `id-${number}`, keyPrefix: `cko_KE${number}`, name: `Old ${number}` });
    }
    await batch.commit();
  });
}
