import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import picomatch from 'picomatch';
import { projectRoot } from '../../local/project';
import { frameworkFolder, functionsFolder } from './framework';

const { functions } = JSON.parse(readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as {
  functions: [{ ignore: string[] }];
};

/**
 * The files below a folder that a deploy uploads, without those that `ignore` of firebase.json names. As in the
 * Firebase CLI (fsAsync.js, minimatch with matchBase and dot), a pattern without a slash matches the name of a file or
 * folder.
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

/** Makes in `target` what an instance of the platform has: the uploaded files, and the packages of the lock file. */
export function deployTo(target: string): void {
  for (const path of uploadedFiles(functionsFolder)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(functionsFolder, path), join(target, path));
  }
  symlinkSync(join(frameworkFolder, 'node_modules'), join(target, 'node_modules'), 'junction');
}
