import { realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { failure } from './failure';

/**
 * Refuses a path outside of the folders ("roots") that the program of the agent has opened. A program that names no
 * roots sets no limit.
 */
export async function refuseOutsideRoots({ server }: McpServer, paths: readonly string[]): Promise<void> {
  if (paths.length === 0 || !server.getClientCapabilities()?.roots) return;
  const { roots } = await server.listRoots();
  const folders = await Promise.all(
    roots.filter(({ uri }) => uri.startsWith('file:')).map(({ uri }) => realPath(fileURLToPath(uri))),
  );
  if (folders.length === 0) return;
  for (const path of paths) {
    const real = await realPath(path);
    if (folders.some((folder) => real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep)))
      continue;
    throw failure(`${path} is not in a folder that the user has opened for you.`, {
      code: 'outside-roots',
      nextAction: `Use a folder below ${folders.join(' or ')}, or ask the user to open the other one in your program.`,
    });
  }
}

/** The real path, also of a folder that does not exist yet. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), basename(path));
  }
}
