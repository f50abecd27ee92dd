import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, keepOptions, startingWords } from '../../cli/src/command-line';

describe('a command in a hint', () => {
  const script = process.argv[1];
  beforeEach(() => {
    process.argv[1] = '/usr/local/bin/deck';
  });
  afterEach(() => {
    process.argv[1] = script ?? '';
    keepOptions({});
  });

  test('repeats the address and the profile that the user gave', () => {
    expect(commandLine('login', '--publish')).toBe('deck login --publish');
    keepOptions({ baseUrl: 'https://decks.example.com/api', profile: 'work' });
    expect(commandLine('login', '--code', '<code>')).toBe(
      'deck login --code <code> --base-url https://decks.example.com/api --profile work',
    );
  });

  test('keeps an address that it names itself', () => {
    keepOptions({ baseUrl: 'https://one.example.com' });
    expect(commandLine('login', '--base-url', 'https://two.example.com')).toBe(
      'deck login --base-url https://two.example.com',
    );
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
});

describe('the words that start the client', () => {
  const cache = mkdtempSync(join(tmpdir(), 'npm-'));
  afterAll(() => rmSync(cache, { recursive: true }));

  test.each(['/usr/local/bin/deck', '/usr/lib/node_modules/deckhost/dist/deck.js', '/clone/cli/dist/deck.js'])(
    'of %s are those of an installed command',
    (path) => {
      expect(startingWords(path)).toEqual(['deck']);
    },
  );

  test('of the packages of a project are npx and the name of the package', () => {
    expect(startingWords('/project/node_modules/.bin/deck')).toEqual(['npx', 'deckhost']);
  });

  test.each([
    ['the name', 'deckhost', 'deckhost'],
    ['a version', 'deckhost@0.1.0', 'deckhost@0.1.0'],
    ['an address', 'https://decks.example.com/deckhost.tgz', 'https://decks.example.com/deckhost.tgz'],
    ['the clone', '/home/ada/decks', 'deckhost'],
  ])('of npx are those that npx was asked for: %s', (_what, asked, named) => {
    const folder = join(cache, '_npx', '93df7adfd8f31e4a');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ _npx: { packages: [asked] } }));
    expect(startingWords(join(folder, 'node_modules', '.bin', 'deck'))).toEqual(['npx', named]);
  });

  test('of an unreadable record of npx are the name of the package', () => {
    expect(startingWords(join(cache, '_npx', 'gone', 'node_modules', '.bin', 'deck'))).toEqual(['npx', 'deckhost']);
  });
});
