import { createPublicKey, generateKeyPair, randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Secrets {
  /** The secret from which the service derives its keys: 32 random bytes in base64url. */
  serviceSecret: string;
  /** The secret with which the local Resend signs what it tells of mails. */
  mailWebhookSecret: string;
  /** The JSON file of a service account that exists locally only. Its key signs local URLs. */
  serviceAccountFile: string;
  signingKey: { clientEmail: string; publicKeyPem: string };
}

/** Opens the data folder's secrets. The first start creates them; only their owner can read the files. */
export async function openSecrets(dataDir: string, project: string): Promise<Secrets> {
  const serviceAccountFile = join(dataDir, 'service-account.json');
  const serviceSecret = await readOrCreate(join(dataDir, 'service-secret'), () =>
    randomBytes(32).toString('base64url'),
  );
  const mailWebhookSecret = await readOrCreate(
    join(dataDir, 'mail-webhook-secret'),
    () => `whsec_${randomBytes(24).toString('base64')}`,
  );
  const account = JSON.parse(await readOrCreate(serviceAccountFile, () => makeServiceAccount(project))) as {
    client_email: string;
    private_key: string;
  };
  const publicKeyPem = createPublicKey(account.private_key).export({ type: 'spki', format: 'pem' }).toString();
  return {
    serviceSecret,
    mailWebhookSecret,
    serviceAccountFile,
    signingKey: { clientEmail: account.client_email, publicKeyPem },
  };
}

async function readOrCreate(file: string, make: () => string | Promise<string>): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = await make();
  // The file gets its name only when it is complete on disk. After a crash before that, the next start makes a new one.
  const draft = await open(`${file}.draft`, 'w', 0o600);
  await draft.writeFile(made);
  await draft.sync();
  await draft.close();
  await rename(`${file}.draft`, file);
  return made;
}

async function makeServiceAccount(project: string): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const account = {
    type: 'service_account',
    project_id: project,
    private_key_id: randomBytes(20).toString('hex'),
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: `local@${project}.iam.gserviceaccount.com`,
    token_uri: 'https://oauth2.googleapis.com/token',
  };
  return `${JSON.stringify(account, null, 2)}\n`;
}
