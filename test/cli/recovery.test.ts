import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fate } from './fault-proxy';
import { type Computer, type Ended, type Testbed, withTestbed } from './testbed';

let testbed: Testbed;
let computer: Computer;
withTestbed((made) => ({ testbed, computer } = made));

interface Pushed {
  status: string;
  presentationId: string;
  version: number;
  uploaded: { files: number };
}

const MB = 1024 * 1024;

/** A folder with so many files, each padded to `size` bytes. A form holds at most 8 MB of them. */
const aDeck = (files: number, size = 0) =>
  testbed.aFolder(
    Object.fromEntries([
      ['index.html', `<title>${Math.random()}</title>`],
      ...Array.from({ length: files - 1 }, (_, index): [string, string] => [
        `${index}.txt`,
        `file ${index}`.padEnd(size),
      ]),
    ]),
  );

const push = (folder: string, ...options: string[]) => computer.deck(['push', folder, '--json', ...options]);

function pushed(ended: Ended): Pushed {
  if (ended.code !== 0) throw new Error(ended.stdout + ended.stderr);
  return ended.json<Pushed>();
}

async function decksOf(owner: Computer): Promise<string[]> {
  const keys = await owner.key();
  const response = await fetch(`${testbed.baseUrl}/listMyPresentations`, {
    headers: { Authorization: `Bearer ${keys}` },
  });
  const { data } = (await response.json()) as { data: { presentations: { id: string }[] } };
  return data.presentations.map(({ id }) => id);
}

/**
 * Holds the `number`th call of a function and all later ones until `release`. `reached` resolves at the first of them.
 */
function holdAt(name: string, number: number): { reached: Promise<void>; release: () => void } {
  const held = deferred();
  const reached = deferred();
  testbed.proxy.watch = async (call): Promise<Fate> => {
    if (call.name !== name || call.number < number) return 'forward';
    reached.resolve();
    await held.promise;
    return 'forward';
  };
  return { reached: reached.promise, release: held.resolve };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

describe('Ctrl-C', () => {
  test('during the uploads exits with 130 and a hint, and the next push sends only the missing files', async () => {
    const folder = await aDeck(40, MB);
    const hold = holdAt('uploadPresentationAssets', 5);
    const running = computer.start(['push', folder, '--json']);
    await hold.reached;
    running.process.kill('SIGINT');
    const stopped = await running.ended;
    hold.release();
    expect(stopped.code).toBe(130);
    const error = { code: 'interrupted', nextAction: expect.stringContaining('Run the same command again') as string };
    expect(stopped.json()).toMatchObject({ ok: false, exitCode: 130, error });
    expect(stopped.stderr).toBe('');

    testbed.proxy.reset();
    const { uploaded, version } = pushed(await push(folder));
    expect(version).toBe(1);
    // Of five forms with 7 or 8 files each, two were answered, the answers to two more may have been lost, and one was
    // held.
    expect(uploaded.files).toBeLessThanOrEqual(40 - 15);
    expect(uploaded.files).toBeGreaterThanOrEqual(8);
    expect(testbed.proxy.calls['uploadPresentationAssets']).toBeLessThanOrEqual(4);
  });

  test('during the commit makes one deck, not two', async () => {
    const folder = await aDeck(3);
    const before = await decksOf(computer);
    const committed = deferred();
    testbed.proxy.watch = ({ name, number }, response) => {
      if (name !== 'commitPresentationVersion' || number < 2) return 'forward';
      response.once('close', committed.resolve);
      return 'lose the answer';
    };
    const running = computer.start(['push', folder, '--json']);
    await committed.promise;
    running.process.kill('SIGINT');
    expect((await running.ended).code).toBe(130);

    testbed.proxy.reset();
    const { presentationId, status } = pushed(await push(folder));
    expect(status).toBe('unchanged');
    const added = (await decksOf(computer)).filter((id) => !before.includes(id));
    expect(added).toEqual([presentationId]);
  });

  test('more than an hour ago, when the session has expired, makes the next push start a new session', async () => {
    const folder = await aDeck(2);
    const hold = holdAt('uploadPresentationAssets', 1);
    const running = computer.start(['push', folder, '--json']);
    await hold.reached;
    running.process.kill('SIGINT');
    await running.ended;
    hold.release();
    await testbed.later(3600);
    testbed.proxy.reset();
    expect(pushed(await push(folder))).toMatchObject({ status: 'pushed', version: 1, uploaded: { files: 2 } });
    expect(await readdir(join(computer.configFolder, 'deck', 'sessions'))).toEqual([]);
  });
});

describe('a failing network', () => {
  test('that loses the answer to a commit makes one version: the retry sends the same idempotency key', async () => {
    const folder = await aDeck(2);
    const keys: unknown[] = [];
    testbed.proxy.watch = ({ name, headers }) => {
      if (name !== 'commitPresentationVersion' || !headers['idempotency-key']) return 'forward';
      keys.push(headers['idempotency-key']);
      return keys.length === 1 ? 'lose the answer' : 'forward';
    };
    expect(pushed(await push(folder))).toMatchObject({ status: 'pushed', version: 1 });
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    await writeFile(join(folder, '0.txt'), 'changed');
    keys.length = 0;
    expect(pushed(await push(folder))).toMatchObject({ status: 'pushed', version: 2 });
  });

  test('during the uploads delays the push, and every file arrives', async () => {
    const folder = await aDeck(12, 3 * MB);
    testbed.proxy.watch = ({ name, number }, response) => {
      if (name !== 'uploadPresentationAssets' || number % 3 !== 0) return 'forward';
      response.destroy();
      return 'answered';
    };
    expect(pushed(await push(folder))).toMatchObject({ version: 1, uploaded: { files: 12 } });
  });

  test('during a restart of the service delays the push', async () => {
    const folder = await aDeck(8, 3 * MB);
    const hold = holdAt('uploadPresentationAssets', 4);
    const running = computer.start(['push', folder]);
    const refused = once(running.stderr, 'data');
    await hold.reached;
    await testbed.proxy.close();
    hold.release();
    await refused; // the client has printed that it tries again
    testbed.proxy.reset();
    await testbed.proxy.open();
    expect((await running.ended).stdout).toContain('Pushed version 1');
  });

  test.each([429, 503])('with a %i and Retry-After is retried, and not earlier', async (status) => {
    const folder = await aDeck(1);
    const times: number[] = [];
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'uploadPresentationAssets') return 'forward';
      times.push(performance.now());
      if (times.length > 1) return 'forward';
      const error = { code: 'rate-limited', message: 'Too many requests.' };
      response.writeHead(status, { 'Retry-After': '1', 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ success: false, error }));
      return 'answered';
    };
    expect(pushed(await push(folder)).version).toBe(1);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990);
  });

  test('with an answer of 403 is not retried', async () => {
    const folder = await aDeck(1);
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'uploadPresentationAssets') return 'forward';
      response.writeHead(403, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ success: false, error: { code: 'permission-denied', message: 'No.' } }));
      return 'answered';
    };
    expect((await push(folder)).code).toBe(3);
    expect(testbed.proxy.calls['uploadPresentationAssets']).toBe(1);
  });
});

describe('a file that changes during the push', () => {
  test('is read again, and the deck holds its new content', async () => {
    const folder = await aDeck(3);
    testbed.proxy.watch = async ({ name, number }): Promise<Fate> => {
      if (name === 'precheckAssets' && number === 1) await writeFile(join(folder, '0.txt'), 'FILE 0');
      return 'forward';
    };
    const ended = await push(folder);
    expect(pushed(ended)).toMatchObject({ status: 'pushed', version: 1 });
    const message = expect.stringContaining(
      '0.txt changed while it was being pushed. Reading the folder again.',
    ) as string;
    expect(ended.json()).toMatchObject({ warnings: [{ message }] });
    expect(pushed(await push(folder)).status).toBe('unchanged');
  });

  test('each time that it is read fails the push, which names the file', async () => {
    const folder = await aDeck(3);
    testbed.proxy.watch = async ({ name, number }): Promise<Fate> => {
      if (name === 'precheckAssets') await writeFile(join(folder, '0.txt'), `state ${number}`);
      return 'forward';
    };
    const ended = await push(folder);
    expect(ended.code).toBe(1);
    const nextAction = expect.stringContaining('The file keeps changing') as string;
    expect(ended.json()).toMatchObject({ ok: false, error: { code: 'file-changed', nextAction } });
  });
});
