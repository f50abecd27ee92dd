import { fail } from '../functions/src/errors';
import { plans, type Plan } from '../functions/src/policy/plans';
import { createAdminKey, findKeys, revokeKey } from '../functions/src/records/api-keys';
import { readIn } from '../functions/src/records/database';
import { recordAction } from '../functions/src/records/operator-actions';
import { organizationRef } from '../functions/src/records/organizations';
import { transact } from '../functions/src/records/transact';
import {
  findDeck,
  findListing,
  findOrganization,
  showListing,
  showOrganization,
  showPresentation,
  showReports,
} from './lookup';
import { oneOf, required, UsageError, type CommandLine } from './options';
import { by, type Command } from './plot';
import { dismissReports, putBack, takeDown } from './takedowns';

const mintAdminKey: Command = async (line) => {
  const name = required(line, 'name');
  const days = line.values['expires-in-days'];
  if (days !== undefined && !(/^\d{1,3}$/.test(days) && Number(days) >= 1 && Number(days) <= 365)) {
    throw new UsageError('--expires-in-days is a whole number from 1 to 365.');
  }
  const life = days === undefined ? 'that does not expire' : `for ${days} days`;
  return {
    question: `Make the admin key ${JSON.stringify(name)} ${life}`,
    run: () =>
      transact(async (tx) => {
        const now = new Date();
        const key = createAdminKey(tx, { name, expiresInDays: days === undefined ? null : Number(days) }, now);
        recordAction(tx, { ...by(line, now), target: key.keyId });
        const { keyId, raw, keyPrefix, expiresAt } = key;
        return { keyId, raw, keyPrefix, name, createdAt: now, expiresAt };
      }),
  };
};

const revokeAnyKey: Command = async (line) => {
  const { option, value } = oneOf(line, 'key-id', 'prefix');
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
        recordAction(tx, { ...by(line, now), target: keyId });
        return { keyId, keyPrefix, kind, organizationId, status: 'revoked', revokedAt };
      }),
  };
};

const setPlan: Command = async (line) => {
  const plan = required(line, 'plan') as Plan;
  if (!plans.includes(plan)) throw new UsageError(`--plan is one of ${plans.join(', ')}.`);
  const { organizationId, name, plan: before } = await findOrganization(line);
  return {
    question: `Change the plan of ${JSON.stringify(name)} (${organizationId}) from ${before} to ${plan}`,
    run: () =>
      transact(async (tx) => {
        const now = new Date();
        const [organization] = await readIn(tx, organizationRef(organizationId));
        if (!organization) return fail('not-found');
        tx.update(organizationRef(organizationId), { plan });
        recordAction(tx, { ...by(line, now), action: `set-plan ${plan}`, target: organizationId });
        return { organizationId, name, plan, planBefore: organization.plan };
      }),
  };
};

/** Looking at somebody's data changes nothing, but it is recorded. */
const show =
  (target: (line: CommandLine) => Promise<string>, look: (id: string, line: CommandLine) => Promise<object>): Command =>
  async (line) => {
    const id = await target(line);
    return {
      question: null,
      run: async () => {
        const found = await look(id, line);
        await transact(async (tx) => recordAction(tx, { ...by(line, new Date()), target: id }));
        return found;
      },
    };
  };

const commands: Record<string, Command> = {
  'mint-admin-key': mintAdminKey,
  'revoke-key': revokeAnyKey,
  'set-plan': setPlan,
  'take-down': takeDown,
  'put-back': putBack,
  'dismiss-reports': dismissReports,
  'show organization': show(async (line) => (await findOrganization(line)).organizationId, showOrganization),
  'show presentation': show(async (line) => (await findDeck(line)).presentationId, showPresentation),
  'show listing': show(async (line) => (await findListing(line)).slug, showListing),
  'show reports': show(() => Promise.resolve('reports'), showReports),
};

/** The command of that name; throws UsageError when there is none. */
export function commandOf({ command }: CommandLine): Command {
  const found = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (found) return found;
  const problem = command === '' ? 'A command is needed' : `There is no command ${JSON.stringify(command)}`;
  throw new UsageError(`${problem}: ${Object.keys(commands).join(', ')}.`);
}
