import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';

export const dist = join(projectRoot, 'web', 'dist');

/** Builds the site when its sources changed. */
export function buildSite(): void {
  const program = `import { buildSite } from './scripts/build.mjs'; await buildSite();`;
  const options = { cwd: projectRoot, stdio: 'inherit' } as const;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], options);
}

export const built = (path: string): string => readFileSync(join(dist, path), 'utf8');

/** The files of the site with that extension, from its folder. */
export const filesOf = (extension: string): string[] =>
  (readdirSync(dist, { recursive: true }) as string[]).filter((name) => name.endsWith(extension)).sort();

/** The pieces of code of a page, with their languages. */
export const examplesOf = (markdown: string) =>
  [...markdown.matchAll(/^```(\w+)\n([^]*?)\n```$/gm)].map((found) => ({ language: found[1]!, code: found[2]! }));

/** The example of an endpoint for a shell that begins so. */
export const codeOf = (name: string, start: RegExp): string | undefined =>
  examplesOf(built(`docs/api/${name}.md`)).find(({ language, code }) => language === 'sh' && start.test(code))?.code;

/** The names of the endpoints that have a page. */
export const documentedEndpoints = (): string[] =>
  readdirSync(join(dist, 'docs', 'api'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.replace(/\.md$/, ''));

export const librarySource = join(projectRoot, 'client/src/index.ts');
/** The module that a user of the package gets. */
export const library = join(projectRoot, 'client/dist/index.mjs');

/** The examples in TypeScript of the endpoints and of the guide of the library, by name. */
export function typescriptExamples(): Map<string, string> {
  const pages = [
    ...documentedEndpoints().map((name) => [name, `docs/api/${name}.md`]),
    ['library', 'docs/guides/library.md'],
  ];
  const found = pages.flatMap(([name, page]) =>
    examplesOf(built(page!))
      .filter(({ language }) => language === 'ts')
      .map(({ code }, i) => [name + (i > 0 ? `-${i}` : ''), code] as const),
  );
  return new Map(found);
}
