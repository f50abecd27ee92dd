import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { projectRoot } from '../local/project';

const parts = ['functions', 'hosting', 'firestore', 'storage', 'auth', 'tasks', 'hub', 'logging'] as const;

/** The ports of the emulators and of the inbox. */
export type Ports = Record<(typeof parts)[number] | 'mail', number>;

/** The port of the inbox. The other ports stand in firebase.json, so that firebase-tools alone uses the same ones. */
const MAIL_PORT = 5280;

/** The ports in firebase.json. They differ from those of `npm start`. */
export async function configuredPorts(): Promise<Ports> {
  const config = JSON.parse(await readFile(join(projectRoot, 'firebase.json'), 'utf8')) as {
    emulators: Record<string, { port: number }>;
  };
  return { ...byPart((part) => config.emulators[part]!.port), mail: MAIL_PORT };
}

/** Ports that are free now. */
export async function freePorts(): Promise<Ports> {
  const servers = await Promise.all([...parts, 'mail'].map(() => listen(0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return { ...byPart((_, at) => ports[at]!), mail: ports.at(-1)! };
}

/** Throws when a port is taken. The error names the port and where to change it. */
export async function assertFree(ports: Ports): Promise<void> {
  for (const [part, port] of Object.entries(ports)) {
    try {
      const server = await listen(port);
      await new Promise((resolve) => server.close(resolve));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      const change = part === 'mail' ? '' : ', or change the port in the emulators of firebase.json';
      const advice = `End the program that uses it${change}.`;
      throw new Error(`Port ${port} of ${part} is taken. ${advice}`, { cause: error });
    }
  }
}

function byPart(portOf: (part: string, at: number) => number): Omit<Ports, 'mail'> {
  return Object.fromEntries(parts.map((part, at) => [part, portOf(part, at)])) as Omit<Ports, 'mail'>;
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
