import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toJSONSchema, type z } from 'zod';
import { colorsOf } from '../../cli/src/colors';
import { commandLine, keepOptions, shellWord, startingWords } from '../../cli/src/command-line';
import { exitCodeOf } from '../../cli/src/exit-code';
import { addHints } from '../../cli/src/failure-hints';
import { harmless, harmlessJson } from '../../cli/src/harmless';
import { versionAsCommand } from '../../cli/src/program';
import type { Link } from '../../cli/src/verbs/links';
import { linkToHandOut, type DeckState, type Wish } from '../../cli/src/verbs/open-link';
import { Failure } from '../../client/src/failure';
import { errorTable } from '../../functions/src/errors';
import * as functions from '../../functions/src/index';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';

describe('a command in a hint', () => {
  const script = process.argv[1];
  beforeEach(() => {
    process.argv[1] = '/usr/local/bin/deck';
  });
  afterEach(() => {
    process.argv[1] = script ?? '';
    keepOptions({});
  });

  test('repeats the address and the profile that the user gave, and keeps an address that it names itself', () => {
    expect(commandLine('login', '--publish')).toBe('deck login --publish');
    const baseUrl = 'https://decks.example.com/api';
    keepOptions({ baseUrl, profile: 'work' });
    const code = commandLine('login', '--code', '<code>');
    expect(code).toBe(`deck login --code <code> --base-url ${baseUrl} --profile work`);
    keepOptions({ baseUrl });
    const other = ['login', '--base-url', 'https://two.example.com'];
    expect(commandLine(...other)).toBe(`deck ${other.join(' ')}`);
  });

  test.each([
    ['my talk', `'my talk'`],
    ["it's", `'it'\\''s'`],
    ['$(touch x)', `'$(touch x)'`],
    ['', `''`],
    ['user+tag@example.com', 'user+tag@example.com'],
  ])('quotes %j for a shell', (word, quoted) => {
    expect(commandLine('push', word)).toBe(`deck push ${quoted}`);
  });

  const cache = mkdtempSync(join(tmpdir(), 'npm-'));
  afterAll(() => rmSync(cache, { recursive: true }));

  test.each([
    ['deck', '/usr/local/bin/deck'],
    ['deck', '/usr/lib/node_modules/deckhost/dist/deck.js'],
    ['deck', '/clone/cli/dist/deck.js'],
    ['npx deckhost', '/project/node_modules/.bin/deck'],
    // The record of npx cannot be read.
    ['npx deckhost', join(cache, '_npx', 'gone', 'node_modules', '.bin', 'deck')],
  ])('starts with %s for the client at %s', (words, path) => {
    expect(startingWords(path).join(' ')).toBe(words);
  });

  test.each([
    ['deckhost', 'deckhost'],
    ['deckhost@0.1.0', 'deckhost@0.1.0'],
    ['https://decks.example.com/deckhost.tgz', 'https://decks.example.com/deckhost.tgz'],
    ['/home/ada/decks', 'deckhost'],
  ])('starts with what npx was asked for: %s as %s', (asked, named) => {
    const folder = join(cache, '_npx', '93df7adfd8f31e4a');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ _npx: { packages: [asked] } }));
    expect(startingWords(join(folder, 'node_modules', '.bin', 'deck'))).toEqual(['npx', named]);
  });
});

/**
 * The lines of code that name a command of `deck`, outside of comments and of the help, which tells of all commands.
 */
function commandsIn(code: string): string[] {
  const ofHelp = /\/\*[^]*?\*\/|\/\/ .*|\b\w*HELP = `(?:\\.|[^\\`])*`|\.(?:description|argument|option)\(.*/g;
  return code.replace(ofHelp, '').match(/.*(?:`|: |[Rr]un )deck [a-z].*/g) ?? [];
}

test('the code names a command in a hint through `commandLine`, which repeats what the user typed', () => {
  for (const [code, count] of [
    ["fail('x', { nextAction: 'Run `deck login` first.' })", 1],
    ['fail(`Sign in: deck login ${words}`)', 1],
    ["command.description('as `deck list` shows it')", 0],
    ['const HELP = `run \\`deck push\\``;', 0],
    ["fail('The deck of this folder', commandLine('login'))", 0],
  ] as const)
    expect([code, commandsIn(code)]).toEqual([code, count ? [code] : []]);
  const folder = join(projectRoot, 'cli/src');
  // The texts for agents name tools in place of commands.
  const isRead = (path: string) => path.endsWith('.ts') && !/^(help|mcp)\b/.test(path);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isRead);
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.flatMap((path) => commandsIn(readFileSync(join(folder, path), 'utf8')))).toEqual([]);
});

test('the value of an option before the command is not the command', () => {
  for (const option of each(['--profile', '--base-url'])) {
    expect(versionAsCommand([option, 'list', '--version'])).toEqual(['version', option, 'list']);
    expect(versionAsCommand([option, 'list', 'pull', '--version'])).toEqual([option, 'list', 'pull', '--version']);
  }
});

describe('text in the terminal', () => {
  /** Every control character besides line feed and tab, the separators of lines, and the marks of direction. */
  const controls = [...Array(0x20).keys(), ...Array.from({ length: 33 }, (_, code) => 0x7f + code)]
    .map((code) => String.fromCharCode(code))
    .filter((unit) => !'\n\t'.includes(unit));
  const marks = '\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';

  test('keeps nothing of a character that commands it', () => {
    for (const unit of each([...controls, ...marks])) {
      for (const hasStyles of [true, false]) expect(harmless(`a${unit}b`, hasStyles)).toBe('a b');
      const escaped = harmlessJson(JSON.stringify({ a: `x${unit}` }));
      expect(escaped).toMatch(/^[\x20-\x7e]+$/);
      expect(JSON.parse(escaped)).toEqual({ a: `x${unit}` });
      expect(shellWord(`a${unit}b`)).not.toContain(unit);
    }
    const sequences = ['8m', '2J', '99m', '5m', '1;1H'].map((end) => `\u001b[${end}`);
    for (const sequence of ['\u001b]0;x', '\u009b1m', ...sequences])
      expect(harmless(sequence, true)).not.toMatch(/\p{Cc}/u);
  });

  test('keeps lines, letters of every language and, with styles, those of the client', () => {
    const text = 'größe 日本 🎉\n\tعربى ✓ \u001b[1mbold\u001b[22m \u001b[32mgreen\u001b[39m';
    expect(harmless(text, true)).toBe(text);
    expect(harmless('\u001b[1mbold\u001b[22m', false)).toBe(' bold ');
  });
});

describe('colours', () => {
  const { env } = process;
  afterEach(() => void (process.env = env));

  /** A green word for a terminal, or for a pipe, where Node leaves `isTTY` undefined. */
  const green = (isTTY: true | undefined, variables: NodeJS.ProcessEnv) => {
    process.env = { TERM: 'xterm', ...variables };
    return colorsOf({ isTTY: isTTY! }).green('word');
  };

  test.each([{}, { CI: 'true' }, { FORCE_COLOR: '0' }, { FORCE_COLOR: '1', NO_COLOR: '1' }])(
    'a pipe gets none with %j',
    (variables) => expect(green(undefined, variables)).toBe('word'),
  );

  test('a terminal gets them, and with FORCE_COLOR a pipe too', () => {
    const colored = '\u001b[32mword\u001b[39m';
    expect([green(true, {}), green(undefined, { FORCE_COLOR: '1' })]).toEqual([colored, colored]);
    expect([green(true, { TERM: 'dumb' }), green(true, { NO_COLOR: '1' })]).toEqual(['word', 'word']);
  });
});

describe('the exit code', () => {
  test.each([
    ['not-pushed conflict', undefined, 1],
    ['usage', undefined, 2],
    ['not-signed-in', undefined, 3],
    ['unreachable upload-lost', undefined, 4],
    ['unexpected-answer', 404, 4],
    ['unexpected-answer', 502, 5],
    ['unexpected', undefined, 5],
    ['interrupted', undefined, 130],
  ])('of %s with the status %s is %i', (codes, status, exitCode) => {
    for (const code of each(codes.split(' '))) expect(exitCodeOf({ code, status })).toBe(exitCode);
  });

  test('of an error of the service is 2 for a wrong address, 3 for a key that may not, 5 for its own faults, else 1', () => {
    const codes = Object.entries(errorTable).map(([code, { status }]) => [code, exitCodeOf({ code, status })] as const);
    const withCode = (wanted: number) => codes.filter(([, exitCode]) => exitCode === wanted).map(([code]) => code);
    expect(withCode(2)).toEqual(['EMAIL_REQUIRED', 'EMAIL_INVALID']);
    expect(withCode(3)).toEqual(['unauthenticated', 'permission-denied']);
    expect(withCode(5)).toEqual(['internal', 'INTERNAL']);
    expect(withCode(1)).toHaveLength(codes.length - 6);
  });
});

describe('a refusal of the service', () => {
  interface Schema {
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
    oneOf?: Schema[];
    allOf?: Schema[];
  }
  const endpoints = Object.entries(functions).map(([name, value]) => {
    const { definition } = value as unknown as { definition?: { input?: z.ZodType } };
    return { name, input: definition?.input };
  });

  /** The locations of all fields of a schema, as the service names them in a refusal. */
  function locationsIn(schema: Schema, at: string): string[] {
    const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
    return [
      at,
      ...Object.entries(properties).flatMap(([name, field]) => locationsIn(field, `${at}.${name}`)),
      ...(items ? locationsIn(items, `${at}[2]`) : []),
      ...[...anyOf, ...oneOf, ...allOf].flatMap((each) => locationsIn(each, at)),
    ];
  }
  const schemaOf = (input: z.ZodType) =>
    toJSONSchema(input, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema;
  const locations = new Set(
    endpoints.flatMap(({ input }) =>
      input ? ['body', 'query'].flatMap((source) => locationsIn(schemaOf(input), source)) : [],
    ),
  );

  const unknown = [...endpoints.map(({ name }) => name), 'body.', 'query.', 'details.', 'retryInSeconds', 'undefined'];

  /** Expects that no text of the failure that the terminal shows has a word of the API. */
  function expectPlain(failure: Failure): void {
    const { message, nextAction = '', details } = addHints(failure);
    const { errors = [] } = (details ?? {}) as { errors?: { location: string; message: string }[] };
    const text = [message, nextAction, ...errors.flatMap((error) => [error.location, error.message])].join('\n');
    expect(unknown.filter((word) => text.includes(word))).toEqual([]);
    expect(text).not.toMatch(/\b[a-z]+[A-Z]/);
  }
  const invalid = (location: string, message: string) =>
    new Failure('x', { code: 'invalid-argument', status: 400, details: { errors: [{ location, message }] } });

  test.each(Object.entries(errorTable))('with %s speaks the words of the client', (code, { status, ...texts }) => {
    const errors = [{ location: 'body.user.firstName', message: 'Too big: expected string to have <=60 characters' }];
    const numbers = { retryInSeconds: 7, attemptsRemaining: 3, limit: 20, actual: 21 };
    const details = { ...numbers, plan: 'free', missing: [], path: 'a.js', errors };
    for (const given of [details, undefined])
      expectPlain(new Failure(texts.message, { code, status, nextAction: texts.nextAction, details: given }));
  });

  test('names no field as the API does, in whatever call it is', () => {
    expect(locations.size).toBeGreaterThan(100);
    for (const location of each(locations)) expectPlain(invalid(location, 'Send details.errors to createApiKey.'));
  });

  test.each([
    ['body.title', '--title'],
    ['body.apiKey.expiresInDays', '--expires-in-days'],
    ['body.tags[1]', '--tag'],
    ['body.files[2].path', 'file 3, path'],
    ['query.presentationId', 'presentation id'],
  ])('names %s as %s', (location, shown) => {
    const errors = [{ location: shown, message: 'Wrong.' }];
    expect(addHints(invalid(location, 'Wrong.')).details).toEqual({ errors });
  });

  test('keeps what a command has said itself, and the next action of the service for a special case', () => {
    const refused = new Failure('Other.', { code: 'conflict', status: 409, nextAction: 'Choose another slug.' });
    const said = { message: 'Said.', nextAction: 'Do it.' };
    expect([refused, refused.with(said)].map(addHints)).toMatchObject([{ nextAction: 'Choose another slug.' }, said]);
  });
});

describe('the link of a deck that a command hands out, and what it says about it', () => {
  const urlOf = (name: string) => `https://decks.example/${name}`;

  const aLink = (name: string, rules: Partial<Link> = {}): Link => ({
    id: `id-${name}`,
    name,
    pinnedVersion: null,
    state: 'active',
    revokedAt: null,
    expiresAt: null,
    createdAt: '',
    views: 0,
    lastOpenedAt: null,
    shareUrl: urlOf(name),
    shortUrl: null,
    hasPasscode: false,
    maxOpenings: null,
    openings: 0,
    allowedEmailCount: null,
    notify: 'never',
    ...rules,
  });

  /** The state of a deck at version 2, for its owner; without links for a collaborator. */
  const aState = (links: Link[] | undefined, more: Partial<DeckState> = {}): DeckState => ({
    presentationId: 'x',
    title: 'Talk',
    version: 2,
    createdAt: '',
    updatedAt: '',
    totalViews: 0,
    lastViewedAt: null,
    expiresAt: null,
    closed: null,
    shareUrl: null,
    own: links && { links, takedown: { at: '', reason: 'A \u001b[31mcopy' }, listingSlug: null },
    ...more,
  });

  const one = aLink('one');
  const alone = (rules: Partial<Link>) => aState([aLink('one', rules)]);
  const oneThat = (rules: Partial<Link>) => aState([aLink('one', rules), aLink('two')]);
  const ofCollaborator = aState(undefined, { shareUrl: urlOf('two') });
  const taken = aState([one], { closed: 'taken-down' });
  const known = { remembered: urlOf('one') };

  test.each<[string, DeckState, Partial<Wish>, name: string | undefined, notices: Record<string, string>]>([
    ['the oldest link', oneThat({}), known, 'one', {}],
    [
      'another one when it is revoked',
      oneThat({ state: 'revoked' }),
      known,
      'two',
      { 'link-replaced': 'The earlier link "one" is revoked. This is the link "two".' },
    ],
    ['one that follows the versions', oneThat({ pinnedVersion: 1 }), {}, 'two', {}],
    [
      'one that stays on an old version',
      alone({ pinnedVersion: 1 }),
      {},
      'one',
      { 'link-pinned': 'The link "one" stays on version 1; the deck is at version 2.' },
    ],
    ['one that asks nothing', oneThat({ maxOpenings: 1 }), known, 'two', { 'link-replaced': 'asks who opens it' }],
    ['one that asks, without another', alone({ hasPasscode: true }), {}, 'one', {}],
    ['no link of a recipient', alone({ isPersonal: true }), {}, undefined, { 'no-link': 'mailed to their recipients' }],
    [
      'none without an active link',
      alone({ state: 'used-up' }),
      {},
      undefined,
      { 'no-link': 'nobody can open the deck' },
    ],
    ['none that a commit denies', aState([one]), { committed: null }, undefined, { 'no-link': 'The only active' }],
    ['the one of a commit, newer than the state', aState([one]), { committed: urlOf('new') }, 'new', {}],
    [
      'none of a deck that expired',
      aState([one], { closed: 'expired' }),
      {},
      undefined,
      { expired: 'This deck expired' },
    ],
    ['none of a deck that was taken down', taken, {}, undefined, { 'taken-down': 'A  [31mcopy' }],
    ['to a collaborator the link that is told', ofCollaborator, {}, 'two', {}],
    [
      'to a collaborator another one',
      ofCollaborator,
      { remembered: 'x' },
      'two',
      { 'link-replaced': 'a different link' },
    ],
    ['to a collaborator none', aState(undefined), {}, undefined, { 'no-link': 'The deck has no active link' }],
  ])('a command hands out %s', (_what, state, wish, name, told) => {
    const { shareUrl, notices } = linkToHandOut(state, { remembered: undefined, deckWords: [], ...wish });
    expect(shareUrl).toBe(name && urlOf(name));
    const said = Object.entries(told).map(([code, text]) => [code, expect.stringContaining(text)]);
    expect(notices.map(({ code, message }) => [code, message])).toEqual(said);
  });
});
