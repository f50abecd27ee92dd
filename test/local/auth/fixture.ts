import { deleteApp, initializeApp, type App } from 'firebase-admin/app';
import { getAuth, type Auth } from 'firebase-admin/auth';
import { startAuth, type AuthServer } from '../../../local/auth';
import { aFolder } from '../folders';

export const PROJECT = 'demo-decks';
const dataDir = aFolder();
let app: App;
/** The running server, and the Admin SDK over it. */
export let server: AuthServer;
export let auth: Auth;

export async function start(): Promise<void> {
  server = await startAuth({ dataDir, project: PROJECT });
  process.env.FIREBASE_AUTH_EMULATOR_HOST = server.host;
  app = initializeApp({ projectId: PROJECT }, server.host);
  auth = getAuth(app);
}

export async function stop(): Promise<void> {
  await deleteApp(app);
  await server.close();
}

export function authFixture(): void {
  beforeAll(start);
  afterAll(stop);
}

export async function emptied(): Promise<void> {
  const { users } = await auth.listUsers(1000);
  if (users.length > 0) await auth.deleteUsers(users.map(({ uid }) => uid));
}

/** What a refused promise of the Admin SDK rejects with. */
export const refusal = (code: string) => ({ code: `auth/${code}` });

/** What the server answers to a call that it refuses. */
export const failed = (message: string) => ({ error: { message } });

async function send(path: string, body: unknown, headers: object) {
  const response = await fetch(`http://${server.host}/identitytoolkit.googleapis.com/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/** A client's call, with an API key and no other credential. */
export const asClient = (path: string, body: unknown, { key = 'any', site = '' } = {}) =>
  send(`${path}?key=${key}`, body, site ? { 'sec-fetch-site': site } : {});

/** A call with the credentials of a service account. */
export const call = (path: string, body: unknown, { authorization = 'Bearer owner', project = PROJECT } = {}) =>
  send(`projects/${project}${path.startsWith(':') ? '' : '/'}${path}`, body, authorization ? { authorization } : {});
