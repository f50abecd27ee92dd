import { DEFAULT_BASE_URL } from '../../../cli/src/base-url';
import { UsageError } from '../../../local/command-line';
import { HELP, parseOptions } from '../../../local/options';
import { otherPort } from '../../../local/ports';
import { readableConsole } from '../../../local/readable-log';
import { addressForClient } from '../../../local/welcome';

test.each([
  [['extra'], 'extra'],
  [['--project'], '--project'],
  [['--project', 'No Such'], 'No Such'],
  [['--data', ''], '--data'],
  [['--json=yes'], '--json'],
  [['--check', '--ephemeral'], '--check'],
  [['--port', 'web=5011'], 'functions, hosting, decks, firestore, storage, auth, mail, tasks'],
  [['--project', 'demo-a', '--project', 'demo-b'], '--project is given twice'],
  [['--port'], '--port'],
  [['--port', '5011'], 'functions, hosting, decks, firestore, storage, auth, mail, tasks'],
  [['--port', 'toString=5011'], '"toString" is not a part'],
  [['--port', 'functions'], 'functions=5051'],
  [['--port', 'functions='], 'functions=5051'],
  [['--port', 'functions=5e3'], 'functions=5051'],
  [['--port=functions=-1'], 'functions=5051'],
  [['--port', 'mail=65536'], 'from 0 to 65535'],
  [['--port', 'decks=x'], 'decks=5052'],
  [['--port', 'mail=0', '--port=mail=0'], '--port mail is given twice'],
  [['--port', 'mail=6000', '--port', 'decks=6000'], 'decks and mail have the same port, 6000'],
  [['--port', 'mail=5002'], 'decks and mail have the same port, 5002'],
  [['--port', 'mail=8080'], 'firestore and mail have the same port, 8080'],
  [['--port', 'functions=5002', '--port', 'decks=5002'], 'functions and decks'],
])('a value that is not valid (%j) is named', (args, named) => {
  const parse = () => parseOptions(args);
  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(named);
});

test('the help explains every option in lines of 120 characters at most', () => {
  const options = ['project', 'data', 'port', 'ephemeral', 'no-deck-origin', 'no-schedules', 'no-index-check'];
  for (const option of [...options, 'platform-limits', 'json', 'check']) expect(HELP).toContain(`--${option} `);
  for (const each of ['functions=5001', 'hosting=5000', 'decks=5002']) expect(HELP).toContain(each);
  expect(HELP.split('\n').filter((line) => line.length > 120)).toEqual([]);
});

test('ports are parsed in both forms; other parts keep their default, and every part may have a free port', () => {
  const { ports, schedules } = parseOptions(['--port=functions=5011', '--port', 'decks=5003', '--port', 'mail=0']);
  expect([ports, schedules]).toEqual([{ functions: 5011, decks: 5003, mail: 0 }, true]);
  expect(parseOptions(['--port', 'mail=5002', '--no-deck-origin'])).toMatchObject({ deckOrigin: false });
  expect(parseOptions(['--port', 'auth=0', '--port', 'storage=0']).ports).toEqual({ auth: 0, storage: 0 });
  const other = parseOptions(['--ephemeral', '--port', 'mail=8080', '--no-schedules']);
  expect(other).toMatchObject({ ports: { mail: 8080 }, schedules: false });
});

test.each([
  [80, 1054],
  [8080, 8130],
  // 9199 is the port of Storage, and 5002 that of deck origins.
  [9149, 9249],
  [4952, 5052],
  [65_535, 1059],
])('instead of the port %d, %d is suggested: free by default, and every user may listen there', (port, other) => {
  expect(otherPort(port)).toBe(other);
});

test("the welcome text names the address for the client unless it is the client's default", () => {
  expect(addressForClient(DEFAULT_BASE_URL)).toBe('');
  const elsewhere = DEFAULT_BASE_URL.replace('us-central1', 'europe-west1');
  expect(addressForClient(elsewhere)).toBe(`\n    export DECK_BASE_URL=${elsewhere}`);
});

describe('the log for people', () => {
  const line = (severity: string, counts: object) =>
    JSON.stringify({ severity, message: 'A job has run.', function: 'finishDeletions', durationMs: 12, ...counts });

  test('shows what a scheduled run did, and omits runs without work', () => {
    const written: string[] = [];
    const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const log = readableConsole();
    log.debug(line('DEBUG', { finished: 0, failed: 0 }));
    log.info(line('INFO', { finished: 2, failed: 1 }));
    log.debug('Any other text');
    // Requests that ended together.
    const answered = (message: string) => JSON.stringify({ severity: 'INFO', message, durationMs: 3, httpRequest: {} });
    log.info(`${answered('200 GET a')}\n${answered('304 GET b')}`);
    log.info('{ a: 1,\n  b: 2 }');
    write.mockRestore();
    expect(written).toEqual([
      'info finishDeletions A job has run. 12 ms: finished 2, failed 1\n',
      'Any other text\n',
      '200 GET a 3 ms\n304 GET b 3 ms\n',
      '{ a: 1,\n  b: 2 }\n',
    ]);
  });
});
