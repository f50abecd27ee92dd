import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../local/project';
import { commandsOf, expectNoSecret } from './session-svg';

test('the recorded session can be recorded again with the same commands', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deck-record-'));
  try {
    const again = join(folder, 'session.svg');
    await promisify(execFile)(process.execPath, [join(projectRoot, 'scripts/record.mjs'), again]);
    const paths = [again, join(projectRoot, 'docs/session.svg')];
    const [repeated, recorded] = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    expect(commandsOf(repeated!)).toEqual(commandsOf(recorded!));
    expectNoSecret(repeated!);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
