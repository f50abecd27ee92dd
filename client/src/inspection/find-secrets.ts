import { basename, extname } from 'node:path';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import type { Secret } from './secret';

/** Files that hold keys or passwords by their names, whatever is in them. Examples of settings hold none. */
const NAMED = new RegExp(
  '^(' +
    '\\.env(\\.(?!example$|sample$|template$|dist$)[\\w.-]+)?|' +
    '\\.(npmrc|yarnrc\\.yml|netrc|pgpass|git-credentials|pypirc|htpasswd|dockercfg)|' +
    'id_(rsa|dsa|ecdsa|ed25519)|' +
    '.*\\.(pem|p12|pfx|jks|keystore|ppk|kdbx)' +
    ')$',
  'i',
);

/** A key or a session of this service. */
const OWN_KEY = /\bck[oas]_[0-9A-Za-z]{49}\b/;

/** Of a larger file, so much is read. */
const READ_BYTES = 16 * 1024 * 1024;

const config = { rules: [{ id: 'preset', rule: creator }] };

/**
 * What in the files looks like a secret, with its first place in each file. The patterns are those of secretlint.
 * `start` reads at most that many bytes of a file, from its beginning.
 */
export async function findSecrets<F extends { path: string }>(
  files: readonly F[],
  start: (file: F, most: number) => Uint8Array | Promise<Uint8Array>,
): Promise<Secret[]> {
  const found: Secret[] = [];
  // One file after the other: only one is in memory.
  for (const file of files) found.push(...(await secretsIn(file.path, await start(file, READ_BYTES))));
  return found;
}

async function secretsIn(path: string, bytes: Uint8Array): Promise<Secret[]> {
  if (NAMED.test(basename(path))) return [{ path, kind: 'a file of keys or passwords' }];
  // Pictures, fonts and videos.
  if (bytes.subarray(0, 8192).includes(0)) return [];
  // A comment in a file of somebody else, such as `// secretlint-disable`, must not end the search.
  const content = new TextDecoder().decode(bytes).replaceAll('secretlint-', 'secretlint_');
  const source = { filePath: path, content, ext: extname(path), contentType: 'text' } as const;
  const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true, maskSecrets: true } });
  const found = new Map<string, Secret>();
  const own = OWN_KEY.exec(content);
  if (own)
    found.set('own', { path, line: content.slice(0, own.index).split('\n').length, kind: 'a key of this service' });
  for (const { ruleId, loc } of messages) {
    const kind = kindOf(ruleId.replace(/^.*secretlint-rule-/, ''));
    if (!found.has(kind)) found.set(kind, { path, line: loc.start.line, kind });
  }
  return [...found.values()];
}

const KINDS: Record<string, string> = {
  privatekey: 'a private key',
  gcp: 'a key of a service account',
  basicauth: 'an address with a password',
  'database-connection-string': 'an address with a password',
};

const kindOf = (rule: string) => KINDS[rule] ?? `a key of ${rule}`;
