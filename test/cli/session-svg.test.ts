import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const project = resolve(__dirname, '../..');

/** The text of a drawing, as those get it who do not see it. */
const textOf = (svg: string) => /<desc id="d">([^]*)<\/desc>/.exec(svg)?.[1] ?? '';
const commandsOf = (svg: string) => [...textOf(svg).matchAll(/^\$ (deck .*)$/gm)].map(([, command]) => command);

test('the recorded session can be recorded again with the same commands, and holds no secret and no name of a machine', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deck-record-'));
  try {
    const again = join(folder, 'session.svg');
    await promisify(execFile)(process.execPath, [join(project, 'scripts/record.mjs'), again]);
    const [recorded, repeated] = await Promise.all([
      readFile(join(project, 'docs/session.svg'), 'utf8'),
      readFile(again, 'utf8'),
    ]);
    expect(commandsOf(recorded).length).toBeGreaterThanOrEqual(4);
    expect(commandsOf(repeated)).toEqual(commandsOf(recorded));
    for (const svg of [recorded, repeated]) {
      expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="t d">\n<title id="t">[^<]+<\/title>/);
      // Keys, tokens, ids, addresses of this computer and its folders.
      expect(svg).not.toMatch(/ck[oas]_\w{5}|[\w-]{40}|[\da-f]{8}-[\da-f]{4}|127\.0\.0\.1|localhost|\/tmp|\/home/);
      for (const name of [project, hostname()]) expect(textOf(svg)).not.toContain(name);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
