import { appendFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { navigation } from '../support/deck-origin';
import { aPdf } from '../support/pdf-file';
import { dev, endServers, expectAsOnOrigin, isolation, withDevServers } from './dev-server';
import { expectHonest } from './open';
import { pages, unfinished } from './pdf-deck';
import { aDeck, computer, deckFileOf, fill, inTerminal, push, testbed, withTestbed } from './testbed';

/** What runs until somebody ends it: `deck dev`, `deck live`, `deck push --watch`, and a program for the browser. */

withTestbed();
withDevServers();

(process.platform === 'linux' ? test : test.skip)(
  'deck open is honest about an opener that stays with the browser',
  () => expectHonest('exec sleep 5', { DISPLAY: ':0' }, undefined),
);

describe('deck dev', () => {
  const decks: Record<string, Record<string, string | Buffer>> = {
    'a single-page app': { 'index.html': '<p>App', '200.html': '<p>Shell', 'a.css': 'a{}' },
    'an app with rules': { 'index.html': '<p>App', _redirects: '/* /index.html 200\n' },
    'an isolated deck': {
      'index.html': '<p>Shared',
      '404.html': '<p>own 404',
      'a.js': '',
      _headers: `/*\n${isolation.map((name, i) => `  ${name}: ${['same-origin', 'require-corp'][i]}\n`).join('')}`,
    },
    'an app with an entry in a folder': { 'talk/index.html': '<p>Talk', 'talk/a.png': 'x' },
  };

  // A deck with files of every kind is in the fast suite. Of the others, navigations differ.
  test.each(Object.entries(decks))('%s answers every address as the origin of its deck does', (_name, files) =>
    expectAsOnOrigin(files, [{ headers: navigation }]),
  );
});

inTerminal('deck live tells a lost connection and the end of the session', async () => {
  const { folder, presentationId } = await aDeck();
  const screen = computer.inTerminal(['live', folder]);
  await screen.shows('No page presents');
  testbed.proxy.answer('getLiveSession', 503);
  await screen.shows('The service does not answer');
  testbed.proxy.reset();
  await screen.shows('No page presents');
  await testbed.post(computer, 'endLiveSession', { presentationId });
  await screen.shows('The live session has ended.');
  expect(await screen.exitCode()).toBe(0);
});

describe('a push of a PDF', () => {
  inTerminal('with --watch waits for a file that is being written, and pushes it once', async () => {
    const path = join(testbed.folder, 'watched.pdf');
    await writeFile(path, await aPdf({ pages }));
    const screen = computer.inTerminal(['push', path, '--watch', '--no-pictures'], { NO_COLOR: '1' });
    await screen.shows('Watching the files');
    const next = await aPdf({ pages: [...pages, { heading: 'Questions' }] });
    await writeFile(path, next.subarray(0, 700));
    await pause(1_500);
    // For a moment it cannot be opened.
    const elsewhere = `${path}.written`;
    await rename(path, elsewhere);
    await symlink(elsewhere, path);
    await pause(1_500);
    await rename(elsewhere, path);
    const asked = testbed.proxy.calls['precheckAssets'];
    await appendFile(path, next.subarray(700));
    expect(await screen.shows('Pushed version 2')).not.toContain('damaged');
    expect(testbed.proxy.calls['precheckAssets']).toBe(asked! + 1);
    screen.type('\x03');
    expect(await screen.exitCode()).toBe(130);
  });

  test('is served by deck dev as its deck', async () => {
    const path = join(testbed.folder, 'served.pdf');
    await writeFile(path, await aPdf({ pages }));
    const origin = await dev(path);
    const read = async () => (await fetch(origin, { headers: { Accept: 'text/html' } })).text();
    expect(await read()).toContain('<h2>Numbers</h2>');
    await writeFile(path, await aPdf({ pages: [{ heading: 'Changed' }] }));
    while (!(await read()).includes('<h2>Changed</h2>')) await pause(100);
    await endServers('SIGINT');
    expect(unfinished()).toEqual([]);
  });
});

describe('deck push --watch', () => {
  inTerminal('pushes each change once, and goes on after a conflict and after a lost connection', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<title>Watched</title>' });
    const screen = computer.inTerminal(['push', folder, '--watch'], { NO_COLOR: '1' });
    await screen.shows('Pushed version 1');
    await screen.shows('token=');
    const token = await screen.next(64);
    await screen.shows('Watching the files');
    await fill(folder, { 'index.html': '<title>Two</title>', 'a.css': 'a{}', 'b/c.js': '1' });
    await screen.shows('Pushed version 2');
    await screen.shows('token=');
    expect(await screen.next(64)).toBe(token);
    // A push writes .deck.json, which makes no other one.
    const commits = testbed.proxy.calls['commitPresentationVersion'];
    await fill(folder, { '.notes': 'ignored', 'node_modules/x.js': '1' });
    await fill(folder, { 'a.css': 'b{}' });
    await screen.shows('Pushed version 3');
    // A dry run and a commit.
    expect(testbed.proxy.calls['commitPresentationVersion']).toBe(commits! + 2);
    const { presentationId } = await deckFileOf(folder);
    await push(await testbed.aFolder({ 'index.html': '<title>By another</title>' }), '--deck', presentationId);
    await fill(folder, { 'index.html': '<title>Mine</title>' });
    await screen.shows('The deck is at version');
    await screen.shows('Still watching');
    await testbed.proxy.close();
    await fill(folder, { 'index.html': '<title>Mine again</title>' });
    await screen.shows('No answer from');
    await screen.shows('Still watching');
    await testbed.proxy.open();
    await push(folder, '--force');
    await fill(folder, { 'index.html': '<title>Mine at last</title>' });
    await screen.shows('Pushed version 6');
    screen.type('\x03');
    expect(await screen.exitCode()).toBe(130);
  });
});
