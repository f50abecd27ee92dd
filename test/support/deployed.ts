import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import picomatch from 'picomatch';
import { projectRoot } from '../../local/project';
import { functionsFolder } from './framework';

const { functions } = JSON.parse(readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as {
  functions: [{ ignore: string[] }];
};

/**
 * The files below a folder that a deploy uploads, without those that `ignore` of firebase.json names. As in the Firebase
 * CLI (fsAsync.js, minimatch with matchBase and dot), a pattern without a slash matches the name of a file or folder.
 */
export function uploadedFiles(folder: string): string[] {
  const isIgnored = picomatch(functions[0].ignore, { basename: true, dot: true });
  const filesIn = (path: string): string[] =>
    readdirSync(path)
      .map((name) => join(path, name))
      .filter((each) => !isIgnored(each))
      .flatMap((each) => (statSync(each).isDirectory() ? filesIn(each) : [relative(folder, each)]));
  return filesIn(folder).sort();
}

/**
 * Copies into `target` what an instance of the platform has: the uploaded files, and the packages that
 * `npm ci --omit=dev` installs by the lock file.
 */
export function deployTo(target: string): void {
  const lock = JSON.parse(readFileSync(join(functionsFolder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; optional?: true }>;
  };
  const packages = Object.entries(lock.packages).filter(([path, { dev, optional }]) => path && !dev && !optional);
  const isNested = (path: string) => path.indexOf('node_modules/') !== path.lastIndexOf('node_modules/');
  for (const path of [...uploadedFiles(functionsFolder), ...packages.map(([each]) => each)]) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    const source = join(functionsFolder, path);
    // Nested packages are entries of the lock file, too.
    cpSync(source, join(target, path), {
      recursive: true,
      filter: (each) => isNested(path) || !relative(source, each).startsWith('node_modules'),
    });
  }
}
