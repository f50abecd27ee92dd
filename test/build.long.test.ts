import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../local/project';
import { each } from './support/each';

const copy = fs.mkdtempSync(join(tmpdir(), 'project-'));
const lib = join(copy, 'functions', 'lib');
const build = (...bundles: string[]) => {
  const env = { ...process.env, GCLOUD_PROJECT: 'a-deployed-project' };
  return execFileSync(process.execPath, [join(copy, 'scripts', 'build.mjs'), ...bundles], { env });
};
const built = () => fs.readdirSync(lib).sort();

/**
 * Builds a copy of the project, because the other tests use its bundles meanwhile. The scripts are loaded before the
 * copy has packages, and it has those alone that `npm start` installs: a fresh clone.
 */
beforeAll(() => {
  const made = ['.git', '.build', 'lib', 'dist', 'node_modules'];
  for (const name of fs.readdirSync(projectRoot).filter((found) => ![...made, 'test'].includes(found))) {
    const isMade = (path: string) => made.includes(basename(path));
    // Not linked: a build through a link would write into the project.
    fs.cpSync(join(projectRoot, name), join(copy, name), { recursive: true, filter: (path) => !isMade(path) });
    const packages = join(projectRoot, name, 'node_modules');
    if (fs.existsSync(packages)) fs.symlinkSync(packages, join(copy, name, 'node_modules'), 'junction');
  }
  loadScripts();
  linkPackages();
  build();
});
afterAll(() => fs.rmSync(copy, { recursive: true }));

/** Loads what each script that installs packages imports, and what each command of npm imports. */
function loadScripts(): void {
  const sourceOf = (name: string) => fs.readFileSync(join(copy, 'scripts', name), 'utf8');
  const { scripts } = JSON.parse(fs.readFileSync(join(copy, 'package.json'), 'utf8')) as { scripts: object };
  const commands = Object.values(scripts).flatMap((command: string) => /scripts\/(.+\.mjs)$/.exec(command)?.[1] ?? []);
  expect(commands.length).toBeGreaterThan(10);
  const installing = fs
    .readdirSync(join(copy, 'scripts'))
    .filter((name) => sourceOf(name).includes("from './install.mjs'"));
  const sources = [...new Set([...commands, ...installing])].map(sourceOf);
  const imported = sources.flatMap((source) => [...source.matchAll(/^(?:import|\}).*'(.*)';$/gm)]);
  const loads = [...new Set(imported.map(([, path]) => path))].map((path) => `await import('${path}');`);
  expect(loads.length).toBeGreaterThan(10);
  fs.writeFileSync(join(copy, 'scripts', 'load-all.mjs'), loads.join('\n'));
  execFileSync(process.execPath, [join(copy, 'scripts', 'load-all.mjs')]);
}

/** Links each package that the lock file has for more than the development of the project. */
function linkPackages(): void {
  type Lock = { packages: Record<string, { dev?: boolean }> };
  const { packages } = JSON.parse(fs.readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as Lock;
  for (const [path, { dev }] of Object.entries(packages)) {
    const isOfProject = path.lastIndexOf('node_modules/') === 0;
    if (!isOfProject || dev || !fs.existsSync(join(projectRoot, path))) continue;
    fs.mkdirSync(dirname(join(copy, path)), { recursive: true });
    fs.symlinkSync(join(projectRoot, path), join(copy, path), 'junction');
  }
  // npm's record of them. Without it, the build would install all packages anew.
  const record = join('node_modules', '.package-lock.json');
  fs.cpSync(join(projectRoot, record), join(copy, record));
}

test('the build makes every file of the functions again that is missing', () => {
  const files = built();
  expect(files).toEqual(expect.arrayContaining(['functions.js', 'google.js', 'index.js']));
  for (const name of each(files)) {
    fs.rmSync(join(lib, name));
    build('functions');
    expect(built()).toEqual(files);
  }
});

test('the site has the addresses of this machine, also when the environment names a project', () => {
  const dist = join(copy, 'web', 'dist');
  expect(fs.existsSync(join(dist, '.local'))).toBe(true);
  expect(fs.readFileSync(join(dist, 'llms.txt'), 'utf8')).not.toContain('a-deployed-project');
});

test('a bundle is built again after a change of any file that it contains', () => {
  const contents = `
    import * as esbuild from 'esbuild';
    import { bundles } from './build.mjs';
    const contentsOf = async ({ build, inputs }) => {
      const files = [];
      await build({
        build: async (options) => {
          const { metafile } = await esbuild.build({ ...options, metafile: true });
          files.push(...Object.keys(metafile.inputs).filter((file) => !file.includes('node_modules/')));
        },
      });
      return { files, inputs };
    };
    // The functions have a build of their own.
    const { functions, ...others } = bundles;
    const found = Object.entries(others).map(async ([name, each]) => [name, await contentsOf(each)]);
    console.log(JSON.stringify(Object.fromEntries(await Promise.all(found))));
    await esbuild.stop();`;
  const program = join(copy, 'scripts', 'contents.mjs');
  fs.writeFileSync(program, contents);
  const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' });
  const bundles = JSON.parse(printed) as Record<string, { files: string[]; inputs: string[] }>;
  for (const [name, { files, inputs }] of each(Object.entries(bundles))) {
    expect(files.length).toBeGreaterThan(10);
    const isInput = (file: string) => inputs.some((input) => file === input || file.startsWith(`${input}/`));
    expect({ name, missing: files.filter((file) => !isInput(file)) }).toEqual({ name, missing: [] });
  }
});

test('several processes can write the files of PDFs and pack the same package at once', async () => {
  const program = join(copy, 'scripts', 'pack-cli.mjs');
  const work = `
    import * as esbuild from 'esbuild';
    import { pack } from './pack.mjs';
    import { writePdfFiles } from './pdf-files.mjs';
    await writePdfFiles(esbuild, ${JSON.stringify(join(copy, 'cli', 'dist', 'pdf'))});
    await esbuild.stop();
    console.log(pack('cli', '.build/packed/cli.tgz'));`;
  fs.writeFileSync(program, work);
  const runs = await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, [program])));
  const packed = join(copy, '.build', 'packed');
  expect(runs.map(({ stdout }) => stdout.trim())).toEqual(Array(3).fill(join(packed, 'cli.tgz')));
  expect(fs.readdirSync(packed)).toEqual(['cli.tgz']);
  expect(fs.readdirSync(join(copy, '.build')).filter((name) => name.startsWith('pack-'))).toEqual([]);
});
