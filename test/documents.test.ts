import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../local/project';
import { storedDataPage } from '../scripts/stored-data.mjs';
import * as stored from '../web/site/stored-data';

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: projectRoot, encoding: 'utf8' }).trim().split('\n');
const textOf = (path: string) => readFileSync(join(projectRoot, path), 'utf8').replace(/^ *```[^]*?```/gm, '');

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
  const written = readFileSync(join(projectRoot, 'docs/stored-data.md'), 'utf8');
  expect(written).toBe(storedDataPage(projectRoot, stored));
});
