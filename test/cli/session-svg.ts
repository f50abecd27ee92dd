import { hostname } from 'node:os';
import { projectRoot } from '../../local/project';

/** The text of a drawing, as those get it who do not see it. */
const textOf = (svg: string) => /<desc id="d">([^]*)<\/desc>/.exec(svg)?.[1] ?? '';

export const commandsOf = (svg: string) => [...textOf(svg).matchAll(/^\$ (deck .*)$/gm)].map(([, command]) => command);

/**
 * Expects that a recorded session has a text, but no keys, tokens, ids and addresses of this computer or its folders.
 */
export function expectNoSecret(svg: string): void {
  expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="t d">\n<title id="t">[^<]+<\/title>/);
  expect(svg).not.toMatch(/ck[oas]_\w{5}|[\w-]{40}|[\da-f]{8}-[\da-f]{4}|127\.0\.0\.1|localhost|\/tmp|\/home/);
  for (const name of [projectRoot, hostname()]) expect(textOf(svg)).not.toContain(name);
}
