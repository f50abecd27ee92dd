import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { DEFAULT_REGION } from '../deploy/context';
import { deployTables, withTables } from '../deploy/reference';
import { region } from '../functions/src/config';
import { projectRoot } from '../local/project';
import { storedDataPage } from '../scripts/stored-data.mjs';
import * as stored from '../web/site/stored-data';
import { each } from './support/each';

const read = (...path: string[]) => readFileSync(join(projectRoot, ...path), 'utf8');
const json = <T>(...path: string[]) => JSON.parse(read(...path)) as T;

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: projectRoot, encoding: 'utf8' }).trim().split('\n');
const textOf = (path: string) => read(path).replace(/^ *```[^]*?```/gm, '');

const anchors = new Map<string, Set<string>>();
/** The anchors of a document: those that GitHub makes of the headings, and ids of HTML. */
function anchorsOf(path: string): Set<string> {
  const known = anchors.get(path) ?? readAnchors(path);
  anchors.set(path, known);
  return known;
}

function readAnchors(path: string): Set<string> {
  const text = textOf(path);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!)]);
}

test('every link from one document to another leads to a file, and to a heading of it', () => {
  const links = documents.flatMap((from) =>
    [...textOf(from).matchAll(/\]\((?!https?:|mailto:|\/|\{)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
      ([link, path, anchor]) => {
        const to = path === '' ? from : join(dirname(from), path!);
        const isThere = existsSync(join(projectRoot, to));
        const leads = isThere && (!anchor || !to.endsWith('.md') || anchorsOf(to).has(anchor));
        return { where: `${from}: ${link}`, leads };
      },
    ),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ leads }) => !leads).map(({ where }) => where)).toEqual([]);
});

test('each credential of SECURITY.md names the test that holds what its row says', () => {
  const [, table = ''] = /## Credentials\n([^#]*)/.exec(textOf('SECURITY.md'))!;
  const rows = table.trim().split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(10);
  const named = rows.map((row) => /`([\w/-]+\.test\.ts)` \|$/.exec(row)?.[1] ?? row);
  expect(named.filter((test) => !existsSync(join(projectRoot, 'test', test)))).toEqual([]);
});

test('docs/stored-data.md has every collection with all fields of its schema, and every folder of the bucket', () => {
  expect(read('docs/stored-data.md')).toBe(storedDataPage(projectRoot, stored));
});

test('docs/deploy.md has the steps, APIs and roles of the deploy', () => {
  const document = read('docs/deploy.md');
  expect(withTables(document)).toBe(document);
  for (const name of each(Object.keys(deployTables()))) expect(document).toContain(`<!-- ${name} -->\n\n|`);
});

test.each(['check', 'deploy'])('the workflow %s runs existing commands with least rights', (name) => {
  const file = read('.github', 'workflows', `${name}.yml`);
  const { permissions, jobs } = parse(file) as {
    permissions: Record<string, string>;
    jobs: Record<string, { steps: { uses?: string; run?: string }[] }>;
  };
  expect(permissions).toEqual({ contents: 'read', ...(name === 'deploy' && { 'id-token': 'write' }) });
  const { scripts } = json<{ scripts: object }>('package.json');
  const all = Object.values(jobs).flatMap(({ steps }) => steps);
  for (const { uses, run } of each(all)) {
    // The owner of an action can move a tag.
    if (uses) expect(file).toMatch(new RegExp(`uses: ${uses} # v\\d+\\.\\d+\\.\\d+$`, 'm'));
    if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    // A value of another person that stands in a script would be run as code.
    expect(run ?? '').not.toContain('${{');
    const script = /^npm run (\w+)/.exec(run ?? '')?.[1];
    if (script) expect(Object.keys(scripts)).toContain(script);
  }
  expect(all.some(({ run }) => run === '.ci/run' || run?.startsWith('npm run deploy'))).toBe(true);
  const login = all.findIndex(({ uses }) => uses?.includes('/auth@'));
  const installs = all.flatMap(({ run }, i) => (/^npm (install|ci)|--help$/.test(run ?? '') ? [i] : []));
  // The predeploy of the hosting installs what is missing in these two folders, after the login.
  const projects = installs.filter((i) => all[i]!.run === 'npm ci && npm --prefix web ci');
  expect([installs.length, projects.length]).toEqual(name === 'deploy' ? [3, 1] : [0, 0]);
  expect(installs.map((i) => [i < login, all[i]])).toEqual(installs.map((i) => [true, { run: all[i]!.run }]));
});

test('a deploy without a region goes to the region that the functions expect without a setting', () => {
  delete process.env['REGION'];
  expect(region()).toBe(DEFAULT_REGION);
});

test('a function that Hosting calls counts no client by address: other proxies write entries', () => {
  type Hosting = { rewrites: { function?: { functionId: string } }[] };
  const { rewrites } = json<{ hosting: Hosting }>('firebase.json').hosting;
  const names = new Set(rewrites.flatMap((each) => (each.function ? [`${each.function.functionId}.ts`] : [])));
  const folder = join('functions', 'src', 'endpoints');
  const all = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' });
  const files = all.filter((file) => names.has(basename(file)));
  expect(files).toHaveLength(names.size);
  for (const file of each(files)) expect(read(folder, file)).not.toContain('clientAddress');
});

test('a Node that is older than package.json demands is named, and ends a command with 1', () => {
  const program = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.9.0' } });
    const { installMissing } = await import('./scripts/install.mjs');
    await installMissing();`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  const message = 'This project needs Node 20.19.0 or newer, and this is Node 20.9.0.\n';
  expect({ status, stderr }).toEqual({ status: 1, stderr: message });
});

test('the repository has one license', () => {
  for (const folder of ['', 'functions', 'cli']) expect(json(folder, 'package.json')).toMatchObject({ license: 'MIT' });
  expect(read('LICENSE')).toMatch(/^MIT License\n/);
});
