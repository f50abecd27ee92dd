import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describeInBrowser } from '../browser/browser';
import { browserIn } from '../browser/program';
import { revealFile } from '../browser/small-decks';
import * as bed from './testbed';
import { computer, fill, inTerminal, push, refused, testbed, words, type Pushed } from './testbed';

/** Made here, so that no scanner finds a secret in this file. */
const key = () => randomBytes(18).toString('hex');
const githubToken = () => `ghp_${key()}`;
const privateKey = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
const page = '<title>Talk</title>';

const pathsOf = ({ details }: { details: Record<string, unknown> }) =>
  (details['secrets'] as { path: string; line?: number; kind: string }[]).map(({ path }) => path).sort();

/** What a push tells about a folder and its secrets, draws of it, and sees while it watches the folder. */
export function proveInspection(): void {
  describe('the warnings of a push', () => {
    const broken = { 'index.html': '<link rel="icon" href="/a.svg">\n<img src="node_modules/b.js">', 'a.svg': '' };

    test('are those of its dry run, also of an unchanged deck, and say what to do', async () => {
      const folder = await testbed.aFolder({ ...broken, 'node_modules/b.js': '' });
      const { warnings } = await push(folder, '--dry-run');
      const place = { path: 'node_modules/b.js', address: 'node_modules/b.js', source: 'index.html:2' };
      expect(warnings).toEqual([
        { code: 'ignored-file', ...place, message: words('A push ignores it.'), nextAction: words('.deckignore') },
      ]);
      for (const status of ['pushed', 'unchanged']) expect(await push(folder)).toMatchObject({ status, warnings });
    });

    test('name how to build a deck for a service without deck origins', async () => {
      const { data } = (await (await fetch(`${testbed.baseUrl}/getServiceInfo`)).json()) as { data: object };
      testbed.proxy.answer('getServiceInfo', 200, { success: true, data: { ...data, deckOrigins: false } });
      const { stderr } = await computer.deck(['push', await testbed.aFolder({ ...broken, 'node_modules/b.js': '' })]);
      expect(stderr).toContain(
        'This service does not find them, and the deck may stay blank:\n    /a.svg (index.html:1)\n',
      );
      expect(stderr).toMatch(/vite build --base \.\/.*slidev build --base \.\/` with `routerMode: hash`/);
    });

    test('are shown by group, the first ones of many, in about ten lines in all', async () => {
      const missing = Array.from({ length: 14 }, (_, index) => `<img src="${index}.png">`).join('\n');
      const page = `${missing}<img src="a.png">`;
      const folder = await testbed.aFolder({
        'index.html': page,
        'A.png': '',
        _headers: '/*\n  X-A: b',
        '_deck/a.js': '',
      });
      const { stderr } = await computer.deck(['push', folder, '--dry-run']);
      for (const shown of [
        '! The deck asks for 14 files that the folder does not have:\n    0.png (index.html:1)\n    … and 13 more\n',
        '    a.png (index.html:14), the file is A.png\n',
        'at addresses that the service keeps for itself:\n    _deck/a.js\n  → Rename the folder',
        'The deck has rules of another host, which the service does not apply:\n    /* X-A: b (_headers:2)\n  → ',
      ])
        expect(stderr).toContain(shown);
      expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
    });

    test('are none of a deck without problems, and without a terminal there are no bars and colours', async () => {
      const { stdout, stderr } = await computer.deck(['push', await testbed.aFolder({ 'index.html': 'x' })]);
      const lines = /^Read 1 file .*\nUploaded 1 file .*\n✓ Pushed version 1 of \S+\n\n {2}http\S+\n\n$/;
      expect([stdout, stderr]).toEqual([expect.stringMatching(lines), '']);
    });
  });

  /** Pushes a folder with a program in the place of the browser. */
  const pushWith = async (folder: string, CHROME_PATH: string) =>
    (await computer.deck(['push', folder, '--json'], { CHROME_PATH })).json<Pushed>();

  test('a browser that does not start leaves decks without a picture, which the first push tells', async () => {
    const program = await bed.aProgram('exit 1');
    const told = { code: 'no-picture', message: words('does not start') };
    for (const expected of [[expect.objectContaining(told)], []]) {
      const { status, picture, warnings } = await pushWith(await testbed.aFolder({ 'index.html': 'x' }), program);
      expect([status, picture, warnings]).toEqual(['pushed', undefined, expected]);
    }
  });

  describeInBrowser('a push with a browser', () => {
    test('draws a picture of the deck and of its slides', async () => {
      // Reveal.js tells its slides, so that a push does not wait until the page is likely to have none.
      const folder = await testbed.aFolder({
        'index.html': `<div class="reveal"><div class="slides"><section>One</section></div></div>
          <script src="reveal.js"></script><script>Reveal.initialize()</script>`,
        'reveal.js': await revealFile('reveal.js'),
      });
      expect(await pushWith(folder, await browserIn(testbed.folder))).toMatchObject({
        status: 'pushed',
        picture: 'drawn',
        slides: 1,
        warnings: [],
      });
    });
  });

  describe('deck push --watch', () => {
    inTerminal('pushes a change, also when the deck cannot be stored beside it, and Ctrl-C ends it', async () => {
      // With a longer name, the file for the deck cannot be written.
      const names = ['index.html', `${'x'.repeat(235)}.html`] as const;
      const folder = await testbed.aFolder(Object.fromEntries(names.map((name) => [name, '<title>Watched</title>'])));
      for (const [source, isStored] of [
        [folder, true],
        [join(folder, names[1]), false],
      ] as const) {
        const screen = computer.inTerminal(['push', source, '--watch'], { NO_COLOR: '1' });
        let presentationId = '';
        if (!isStored) {
          await screen.shows('cannot be written (ENAMETOOLONG)');
          await screen.shows('--deck ');
          presentationId = await screen.next(36);
        }
        await screen.shows('Watching the files');
        await fill(folder, { [isStored ? 'a.css' : names[1]]: '<title>Changed</title>' });
        await screen.shows('Pushed version 2');
        if (!isStored) {
          const other = await testbed.aFolder({ 'index.html': '<title>By another</title>' });
          await push(other, '--deck', presentationId);
          await fill(folder, { [names[1]]: '<title>Mine</title>' });
          await screen.shows('The deck is at version 3');
        }
        screen.type('\x03');
        expect(await screen.exitCode()).toBe(130);
      }
    });

    test('ends with the failure of the first push, and excludes --json and --dry-run', async () => {
      const empty = await testbed.aFolder({ 'a.txt': 'x' });
      const stderr = words('has no HTML file');
      expect(await computer.deck(['push', empty, '--watch'])).toMatchObject({ code: 1, stderr });
      for (const option of ['--json', '--dry-run'])
        expect(await computer.deck(['push', empty, '--watch', option])).toMatchObject({ code: 2 });
    });
  });

  describe('a push without a terminal', () => {
    test('is refused before an upload, and names each file and never the secret', async () => {
      const token = githubToken();
      const account = {
        type: 'service_account',
        private_key: privateKey(),
        client_email: 'a@b.iam.gserviceaccount.com',
      };
      const secrets = {
        id_rsa: 'x',
        'app/tls.pem': 'x',
        'notes.txt': privateKey(),
        'account.json': JSON.stringify(account),
        'ci.yml': `key: ${await computer.key()}`,
        'app/config.js': `// one\nconst token = '${token}';`,
      };
      const folder = await testbed.aFolder({ 'index.html': page, 'logo.bin': Buffer.from([0, 1]), ...secrets });
      testbed.proxy.reset();
      const refusal = await refused('push', folder);
      expect(refusal).toMatchObject({ code: 'secrets', exit: 1, nextAction: words('--allow-secrets') });
      expect(pathsOf(refusal)).toEqual(Object.keys(secrets).sort());
      expect(refusal.message).toContain('app/config.js:2 has a key of github');
      expect(JSON.stringify(refusal)).not.toContain(token);
      expect(testbed.proxy.calls['uploadPresentationAssets']).toBeUndefined();
    });

    test('of a folder whose own .deckignore includes them, or whose comments silence the search, is refused too', async () => {
      const folder = await testbed.aFolder({
        'index.html': page,
        '.deckignore': '!.env\n!.npmrc',
        '.env': 'A=1',
        '.npmrc': 'a',
        'app.js': `// secretlint-disable\nconst token = '${githubToken()}';`,
      });
      expect(pathsOf(await refused('push', folder))).toEqual(['.env', '.npmrc', 'app.js']);
    });

    test('publishes them with --allow-secrets, warns, and does not ask again about what the deck holds', async () => {
      const folder = await testbed.aFolder({ 'index.html': page, 'app.js': `'${githubToken()}'` });
      const warnings = [{ code: 'secret', path: 'app.js' }];
      expect(await push(folder, '--dry-run')).toMatchObject({ status: 'planned', warnings });
      expect(await push(folder, '--allow-secrets')).toMatchObject({ status: 'pushed', warnings });
      expect(await push(folder, '--title', 'New')).toMatchObject({ version: 2, warnings: [] });
    });

    test('takes what only looks like a secret', async () => {
      const files = { 'index.html': `${page}<p>Set API_KEY=&lt;your key&gt;, such as AKIAIOSFODNN7EXAMPLE</p>` };
      const folder = await testbed.aFolder({ ...files, 'env.js': 'x', 'talk.key': 'x', 'deck.env.example': 'A=' });
      expect(await push(folder)).toMatchObject({ status: 'pushed', warnings: [] });
    });
  });

  inTerminal('a terminal is asked, and a no publishes nothing', async () => {
    const folder = await testbed.aFolder({ 'index.html': page, 'app.js': `'${githubToken()}'` });
    const no = computer.inTerminal(['push', folder]);
    await no.shows('app.js:1 has a key of github');
    await no.answer('Publish these files?', 'n');
    await no.shows('Nothing was pushed');
    expect(await no.exitCode()).toBe(1);
    const yes = computer.inTerminal(['push', folder]);
    await yes.answer('Publish these files?', 'y');
    await yes.shows('Pushed version');
    expect(await yes.exitCode()).toBe(0);
  });
}
