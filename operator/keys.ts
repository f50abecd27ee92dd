import { Command } from 'commander';
import { fail } from '../functions/src/errors';
import { createAdminKey, findKeys, revokeKey } from '../functions/src/records/api-keys';
import { recordAction } from '../functions/src/records/operator-actions';
import { transact } from '../functions/src/records/transact';
import { performs } from './action';
import { oneOf, text, wholeNumber } from './command-line';

interface MintOptions {
  name: string;
  expiresInDays?: number;
}

export const mintAdminKey = new Command('mint-admin-key')
  .description('create an API key that passes every permission check; its raw value is printed once')
  .requiredOption('--name <name>', 'the name of the key', text)
  .option('--expires-in-days <days>', '1 to 365 (default: the key does not expire)', wholeNumber(1, 365))
  .action(
    performs<MintOptions>(async ({ name, expiresInDays = null }, entry) => {
      const life = expiresInDays === null ? 'that does not expire' : `for ${expiresInDays} days`;
      return {
        question: `Make the admin key ${JSON.stringify(name)} ${life}`,
        run: () =>
          transact(async (tx) => {
            const now = new Date();
            const { keyId, raw, keyPrefix, expiresAt } = createAdminKey(tx, { name, expiresInDays }, now);
            recordAction(tx, { ...entry, at: now, target: keyId });
            return { keyId, raw, keyPrefix, name, createdAt: now, expiresAt };
          }),
      };
    }),
  );

export const revokeAnyKey = new Command('revoke-key')
  .description('revoke an API key of any kind; takes --key-id or --prefix')
  .option('--key-id <id>', 'the id of the key', text)
  .option('--prefix <prefix>', 'the first 8 characters of the key', text)
  .action(
    performs(async (_options, entry, command) => {
      const { option, value } = oneOf(command, 'key-id', 'prefix');
      const found = await findKeys(option === 'key-id' ? { keyId: value } : { keyPrefix: value });
      const [key, ...others] = found;
      if (!key) return fail('not-found', undefined, { message: 'There is no such key.' });
      if (others.length > 0) {
        const ids = found.map(({ keyId, name }) => `${keyId} (${name})`).join(', ');
        fail('conflict', undefined, { message: `Several keys begin like that; name one by --key-id: ${ids}.` });
      }
      const { keyId, keyPrefix, kind, name, organizationId } = key;
      return {
        question: `Revoke the ${kind} key ${keyPrefix}… ${JSON.stringify(name)}`,
        run: () =>
          transact(async (tx) => {
            const now = new Date();
            const revokedAt = await revokeKey(tx, organizationId, keyId, now);
            recordAction(tx, { ...entry, at: now, target: keyId });
            return { keyId, keyPrefix, kind, organizationId, status: 'revoked', revokedAt };
          }),
      };
    }),
  );
