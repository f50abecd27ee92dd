import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deckOriginOf } from '../../deploy/deck-origin';
import { optionsOf } from '../../deploy/options';
import { projectRoot } from '../../local/project';
import { ORIGIN } from './origins';
import { PROJECT } from './project';

const script = join(projectRoot, 'scripts', 'deploy.mjs');
const start = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

test('a wrong command line ends with 2, and a dry run runs no program', () => {
  expect(start()).toMatchObject({ status: 2, stderr: expect.stringContaining("--project <id>' not specified") });
  const wrong = start('--project', PROJECT, '--only', 'nothing');
  expect(wrong).toMatchObject({ status: 2, stderr: expect.stringMatching(/no step nothing\. The steps: tools, /) });
  const { status, stdout } = start('--project', PROJECT, '--dry-run', '--set', 'CPU_QUOTA=40');
  expect([status, stdout]).toEqual([0, expect.stringContaining(`echo CPU_QUOTA=40 >> functions/.env.${PROJECT}\n`)]);
  expect(existsSync(join(projectRoot, 'functions', `.env.${PROJECT}`))).toBe(false);
});

test.each([
  [['--proxy-hops', 'two'], 'not a whole number from 0 to 9'],
  [['--set', 'cpu=1'], 'not NAME=value'],
  [['--set', 'REGION=us-east1'], 'Use --region'],
  [['--set', 'WEBHOOK_PRIVATE_TARGETS=true'], 'private addresses of the cloud'],
  [['--deck-origin', 'decks.example.com'], 'star as the first label'],
  [['--set', 'DECK_ORIGIN=http://*.decks.example.com'], 'need HTTPS'],
])('the options %j are refused', (args, problem) => {
  let told = '';
  expect(() => optionsOf(['--project', PROJECT, ...args], (text) => (told += text))).toThrow(problem);
  expect(told).toContain(problem);
});

test('an origin of decks is completed, and can be switched off', () => {
  const read = (...args: string[]) => optionsOf(['--project', PROJECT, ...args]);
  expect(read('--deck-origin', '*.decks.example.com')).toMatchObject({ deckOrigin: ORIGIN });
  expect(read('--set', 'DECK_ORIGIN=*.decks.example.com')).toMatchObject({ set: [`DECK_ORIGIN=${ORIGIN}`] });
  expect(read('--no-deck-origin')).toMatchObject({ deckOrigin: false });
  expect(read()).not.toHaveProperty('deckOrigin');
});

test.each([
  ['*.decks.example.com', ORIGIN],
  ['https://*.decks.example.com', ORIGIN],
  ['https://*.Decks.Example.com/', ORIGIN],
  ['*.example.com', 'https://*.example.com'],
])('the origin %s is taken', (text, origin) => expect(deckOriginOf(text)).toBe(origin));

test.each([
  ['decks.example.com', /star as the first label/],
  ['https://decks.*.example.com', /star as the first label/],
  ['*.decks.example.com/a', /star as the first label/],
  ['*.decks.example.com:8443', /without port/],
  ['*', /star as the first label/],
  ['ftp://*.decks.example.com', /star as the first label/],
  ['http://*.decks.example.com', /need HTTPS/],
  ['*.com', /not a domain of yours/],
  ['*.decks.localhost', /not a domain of yours/],
  ['*.my-project.web.app', /not a domain of yours/],
  [`*.${'a'.repeat(60)}.example.com`, /more than 50/],
])('the origin %s is refused', (text, reason) => expect(() => deckOriginOf(text)).toThrow(reason));
