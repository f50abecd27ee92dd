import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { startFirestore } from './firestore';
import type { HostingConfig } from './hosting';
import { projectRoot } from './project';
import type { CorsRule } from './storage';

export type Indexes = NonNullable<Parameters<typeof startFirestore>[0]['indexes']>;

/** The configuration files that are deployed with the functions. */
export async function readConfiguration(): Promise<{ hosting: HostingConfig; indexes: Indexes; cors: CorsRule[] }> {
  const read = async (file: string) => JSON.parse(await readFile(join(projectRoot, file), 'utf8')) as unknown;
  const config = (await read('firebase.json')) as { hosting: HostingConfig; firestore: { indexes: string } };
  return {
    hosting: config.hosting,
    indexes: (await read(config.firestore.indexes)) as Indexes,
    cors: (await read('storage.cors.json')) as CorsRule[],
  };
}
