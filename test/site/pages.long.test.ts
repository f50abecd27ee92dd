import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_BASE_URL, DEFAULT_HOSTING_URL } from '../../local/ports';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';
import { built, buildSite, filesOf } from './pages';

beforeAll(buildSite);

const UNFILLED = 'The operator of this service has not filled in this page.';

describe('the site of a deploy', () => {
  const copy = mkdtempSync(join(tmpdir(), 'decks-site-'));
  afterAll(() => rmSync(copy, { recursive: true }));

  test('names the addresses of the project, which stand in the settings of the functions', () => {
    const isSource = (path: string) => !['node_modules', 'dist'].includes(path.split(/[/\\]/).at(-1)!);
    cpSync(join(projectRoot, 'web'), join(copy, 'web'), { recursive: true, filter: isSource });
    mkdirSync(join(copy, 'functions'));
    const shared = ['client', 'docs', 'scripts', 'tsconfig.base.json', 'node_modules'];
    for (const name of [...shared, 'web/node_modules', 'functions/src', 'functions/runtime'])
      symlinkSync(join(projectRoot, name), join(copy, name), 'junction');
    writeFileSync(
      join(copy, 'functions/.env'),
      'REGION=europe-west1\nVIEWER_URL=https://other.example.com\nOPERATOR_NAME=<b>Ada & Co</b>\nOPERATOR_CONTACT=ada@example.org\nOPERATOR_COUNTRY=Malta\n',
    );
    writeFileSync(
      join(copy, 'functions/.env.my-project'),
      'VIEWER_URL="https://other.example.org/"\nOPERATOR_ADDRESS="1 Street, Valletta"\n',
    );
    const env = { ...process.env, GCLOUD_PROJECT: 'my-project' };
    execFileSync(process.execPath, [join(copy, 'web/build.mjs')], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const texts = (name: string) => readFileSync(join(copy, 'web/dist', name), 'utf8');
    const all = ['index.html', 'llms-full.txt', 'llms.txt', 'openapi.json', 'robots.txt', 'sitemap-site.xml'];
    const named = [...all, 'docs/api/getUsage.md'].filter((name) => texts(name).includes(DEFAULT_HOSTING_URL));
    expect(named).toEqual([]);
    expect(texts('docs/api/getUsage.md')).toContain('https://europe-west1-my-project.cloudfunctions.net/getUsage');
    expect(texts('docs/api/getUsage.md')).not.toContain(DEFAULT_BASE_URL);
    expect(texts('index.html')).toContain('https://other.example.org/deckhost.tgz');
    expect(JSON.parse(texts('openapi.json'))).toMatchObject({
      servers: [{ variables: { base_url: { default: 'https://europe-west1-my-project.cloudfunctions.net' } } }],
      info: { contact: { url: 'https://other.example.org/' } },
      externalDocs: { url: 'https://other.example.org/docs' },
    });
    for (const legal of ['privacy/index.html', 'terms/index.html']) {
      const who = '&lt;b>Ada &amp; Co&lt;/b>, 1 Street, Valletta, Malta';
      for (const said of [who, 'href="mailto:ada@example.org"']) expect(texts(legal)).toContain(said);
      expect(texts(legal)).not.toContain(UNFILLED);
      expect(built(legal)).toContain(UNFILLED);
    }
    expect(texts('privacy/index.html')).toContain('in the region europe-west1');
    const dashboard = texts('dashboard.html');
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(dashboard)![1]!.split('; ');
    expect(policy).toContain(
      "connect-src 'self' https://europe-west1-my-project.cloudfunctions.net https://storage.googleapis.com",
    );
    expect(policy).toEqual(expect.arrayContaining(["script-src 'self'", "style-src 'self'"]));
    expect(dashboard).not.toContain('127.0.0.1');
    // The scripts do not depend on the addresses: every build of the same sources makes the same bytes.
    const scripts = filesOf('.js');
    expect(scripts).toContainEqual(expect.stringMatching(/^assets.dashboard-/));
    // The index of the search has the texts of the pages, with their addresses.
    for (const name of each(scripts.filter((each) => each !== 'docs-index.js'))) expect(texts(name)).toBe(built(name));
    // `npm start` sees by this file that the site must be built again.
    expect(existsSync(join(copy, 'web/dist/.local'))).toBe(false);
  });
});
