import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { computer, inTerminal, push, refused, testbed, words } from './testbed';

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

/** What a push does with files that hold secrets. */
export function proveSecrets(): void {
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
