import { type Computer, fill, type Testbed, withTestbed } from './testbed';

let testbed: Testbed;
let computer: Computer;
withTestbed((made) => ({ testbed, computer } = made));

const READY = 'Watching the folder';

test('deck push --watch pushes each change once, keeps the link, and Ctrl-C ends it', async () => {
  const folder = await testbed.aFolder({ 'index.html': '<title>Watched</title>' });
  const screen = computer.inTerminal(['push', folder, '--watch'], { NO_COLOR: '1' });
  await screen.shows('Pushed version 1');
  await screen.shows('token=');
  const token = await screen.next(64);
  await screen.shows(READY);
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
  screen.type('\x03');
  expect(await screen.exitCode()).toBe(130);
});

test('deck push --watch tells of a conflict and of a lost connection, and goes on', async () => {
  const folder = await testbed.aFolder({ 'index.html': '<title>Shared</title>' });
  const screen = computer.inTerminal(['push', folder, '--watch'], { NO_COLOR: '1' });
  await screen.shows(READY);
  const { presentationId } = (await computer.deck(['push', folder, '--json'])).json<{ presentationId: string }>();
  const other = await testbed.aFolder({ 'index.html': '<title>By another</title>' });
  expect((await computer.deck(['push', other, '--deck', presentationId])).code).toBe(0);
  await fill(folder, { 'index.html': '<title>Mine</title>' });
  await screen.shows('The deck is at version');
  await screen.shows('Still watching');
  await testbed.proxy.close();
  await fill(folder, { 'index.html': '<title>Mine again</title>' });
  await screen.shows('No answer from');
  await screen.shows('Still watching');
  await testbed.proxy.open();
  expect((await computer.deck(['push', folder, '--force'])).code).toBe(0);
  await fill(folder, { 'index.html': '<title>Mine at last</title>' });
  await screen.shows('Pushed version 4');
  screen.type('\x03');
  expect(await screen.exitCode()).toBe(130);
});

test('deck push --watch ends with the failure of the first push, and excludes --json and --dry-run', async () => {
  const empty = await testbed.aFolder({ 'a.txt': 'x' });
  const failed = await computer.deck(['push', empty, '--watch']);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('does not hold an HTML file')]);
  expect((await computer.deck(['push', empty, '--watch', '--json'])).code).toBe(2);
  expect((await computer.deck(['push', empty, '--watch', '--dry-run'])).code).toBe(2);
});
