import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTestbed, type Computer, type Testbed } from './testbed';

const MB = 1024 * 1024;
let testbed: Testbed;
let computer: Computer;

describe('a push above the caps of the plan', () => {
  withTestbed((made) => ({ testbed, computer } = made), '--platform-limits');

  const files = {
    'index.html': '<p>',
    'notes.html': Buffer.alloc(11 * MB),
    'film.mp4': Buffer.alloc(51 * MB),
    'drawing.svg': Buffer.alloc(40 * MB),
    'fine.bin': Buffer.alloc(50 * MB),
  };

  test.each([[[]], [['--dry-run']]])(
    'is warned about each file and refused before anything is sent %j',
    async (options) => {
      const ended = await computer.deck(['push', await testbed.aFolder(files), ...options]);
      expect(ended.code).toBe(1);
      const [drawing, film, notes] = [
        '! drawing.svg has 40.0 MB; the service takes at most 30.0 MB.',
        '! film.mp4 has 51.0 MB; the plan "free" allows 50.0 MB.',
        '! notes.html has 11.0 MB; the plan "free" allows 10.0 MB.',
      ];
      expect(ended.stderr.startsWith(`${drawing}\n${film}\n${notes}\n✗ `)).toBe(true);
      expect(testbed.proxy.calls['uploadPresentationAssets']).toBeUndefined();
      expect(testbed.proxy.calls['createAssetUploads']).toBeUndefined();
      if (options.length > 0) expect(testbed.proxy.calls).toEqual({ getServiceInfo: 1, getUsage: 1 });
    },
  );

  test('is warned about the number and the sum of its files', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${index}.txt`, '']));
    const large = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`${index}.bin`, Buffer.alloc(45 * MB)]));
    const folder = await testbed.aFolder({ 'index.html': '', ...many, ...large });
    const { stderr } = await computer.deck(['push', folder, '--dry-run']);
    expect(stderr).toContain('! The deck has 507 files; the plan "free" allows 500.');
    expect(stderr).toContain('! The deck has 270 MB; the plan "free" allows 250 MB.');
  });

  test('is not warned when the service does not tell the plan', async () => {
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'getUsage') return 'forward';
      response.writeHead(503, { 'Retry-After': '30' }).end();
      return 'answered';
    };
    const planned = await computer.done('push', await testbed.aFolder(files), '--dry-run');
    expect(planned['warnings']).toEqual([]);
    expect(testbed.proxy.calls['getUsage']).toBe(1);
  });
});

describe('the dry run of a push', () => {
  withTestbed((made) => ({ testbed, computer } = made));
  const refused = (...args: string[]) => computer.refused(...args);

  const small = (files: number) => Object.fromEntries(Array.from({ length: files }, (_, i) => [`${i}.txt`, `${i}`]));

  test.each<[string, number, Record<string, number>, string]>([
    ['with too many files', 500, {}, 'too-many-files'],
    ['with a file above the cap', 1, { 'a.bin': 1, 'film.bin': 50 * MB + 1 }, 'payload-too-large'],
    ['with a page above the cap', 1, { 'big.html': 10 * MB + 1 }, 'payload-too-large'],
    [
      'above the size of a deck',
      1,
      Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`${i}.bin`, 45 * MB + i])),
      'payload-too-large',
    ],
  ])(
    '%s is refused as the push is, for a new deck and for an existing one, without a write',
    async (_case, files, large, code) => {
      const folder = await testbed.aFolder({ 'index.html': '<title>Large</title>', ...small(files) });
      for (const [path, size] of Object.entries(large)) {
        await writeFile(join(folder, path), '');
        await truncate(join(folder, path), size);
      }
      testbed.proxy.reset();
      const { nextAction, ...dry } = await refused('push', folder, '--dry-run');
      expect(Object.keys(testbed.proxy.calls).sort()).toEqual(['getServiceInfo', 'getUsage']);
      const real = await refused('push', folder);
      expect(dry).toMatchObject({ code, exit: 1, message: real.message, details: real.details });
      expect(nextAction).toBe(real.nextAction);

      const existing = await testbed.aFolder({ 'index.html': 'x' });
      const { presentationId } = await computer.done<{ presentationId: string }>('push', existing);
      expect(await refused('push', folder, '--dry-run', '--deck', presentationId)).toMatchObject({ ...dry, code });
    },
  );

  test('of a new deck is refused when the organization has as many decks as its plan allows', async () => {
    await testbed.withDatabase(async (database) => {
      const { docs } = await database.collection('organizationUsages').get();
      for (const { ref } of docs) await ref.update({ decks: 100 });
    });
    const folder = await testbed.aFolder({ 'index.html': 'x' });
    const dry = await refused('push', folder, '--dry-run');
    const real = await refused('push', folder);
    expect(dry).toMatchObject({ code: 'conflict', exit: 1, message: real.message, nextAction: real.nextAction });
    expect(dry.details).toEqual(real.details);
  });
});
