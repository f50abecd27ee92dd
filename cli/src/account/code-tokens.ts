import { join } from 'node:path';
import { changeSecretJson, readJson } from '../../../client/src/json-file';
import { configFolder } from '../config-folder';

/**
 * What this computer knows about the sign-ins of an address at a service. Both tokens keep strangers, who can guess and
 * request codes for any address, from closing the sign-in of this computer. Neither of them opens an account.
 */
interface CodeTokens {
  /** Shows that the address has signed in on this computer. A logout keeps it: the next login needs it. */
  deviceToken?: string | undefined;
  /** The token of the last request for a code, for as long as the code is valid. */
  request?: { requestToken: string; expiresAt: string } | undefined;
}

/** By the address of the service, then by email address. */
type TokenFile = Record<string, Record<string, CodeTokens>>;

/** The service that a code comes from, and the address to which it is mailed. */
export interface CodePlace {
  baseUrl: string;
  email: string;
}

const path = () => join(configFolder(), 'code-tokens.json');
const normal = (email: string) => email.trim().toLowerCase();

/** The tokens that are still valid. A file that cannot be read has none: a sign-in works without them, too. */
export async function readCodeTokens({ baseUrl, email }: CodePlace): Promise<CodeTokens> {
  const file = await readJson<TokenFile>(path()).catch(() => undefined);
  const { deviceToken, request } = file?.[baseUrl]?.[normal(email)] ?? {};
  return { deviceToken, request: request && Date.parse(request.expiresAt) > Date.now() ? request : undefined };
}

/** Keeps the token of a request: another run of the command may send its code. */
export const keepRequest = (place: CodePlace, requestToken: string, expiresInSeconds: number): Promise<void> => {
  const expiresAt = new Date(Date.now() + expiresInSeconds * 1000).toISOString();
  return change(place, (known) => ({ ...known, request: { requestToken, expiresAt } }));
};

/** Keeps the token of the device after a sign-in. The code of the last request is used up. */
export const keepDevice = (place: CodePlace, deviceToken: string): Promise<void> =>
  change(place, () => ({ deviceToken }));

/** Forgets what this computer knows about the sign-ins of an address, of which no account exists any more. */
export const forgetTokens = (place: CodePlace): Promise<void> => change(place, () => undefined);

/** The file is one that only the user can read. A disk that takes no file must not fail a sign-in. */
async function change(
  { baseUrl, email }: CodePlace,
  changed: (known: CodeTokens) => CodeTokens | undefined,
): Promise<void> {
  await changeSecretJson<TokenFile>(path(), (file = {}) => {
    const ofService = file[baseUrl] ?? {};
    const address = normal(email);
    const { [address]: known = {}, ...others } = ofService;
    const now = changed(known);
    return { ...file, [baseUrl]: { ...others, ...(now && { [address]: now }) } };
  }).catch(() => undefined);
}
