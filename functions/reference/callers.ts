import type { oas31 } from 'zod-openapi';
import type { CallerRule } from '../src/http/definition';
import type { Scope } from '../src/values/keys';

const scopeTexts: Record<Scope, string> = {
  'presentations:read': 'read decks, versions, collaborators, keys, usage and the account',
  'presentations:write': 'push, share, remix, change and delete decks',
  'marketplace:publish': 'publish, change and star listings',
};

/** The two ways to authenticate. */
export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key: `cko_…`, from cliCompleteSignup, cliCompleteLogin or createApiKey. Its scopes say what it may do. ' +
      `${Object.entries(scopeTexts)
        .map(([scope, about]) => `\`${scope}\`: ${about}`)
        .join('; ')}. An operation lists the scope that it needs.`,
  },
  dashboardSession: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The token of a dashboard session: `cks_…`, from createDashboardSession or completeDashboardSignup. It may do ' +
      'what a key of its user with all scopes may do, except verifyApiKey.',
  },
} as const satisfies Record<string, oas31.SecuritySchemeObject>;

const callerTexts = {
  anyone: 'anyone',
  'optional-key': 'anyone; a live key or session tells who calls',
  'any-key': 'an API key',
  session: 'a dashboard session',
  'any-key-or-session': 'an API key, or a dashboard session',
} as const;

const roleTexts = { owner: ' of the owner of the deck', member: ' of the owner or a dev of the deck' } as const;

/** The caller of an endpoint in words. */
export function callerText(caller: CallerRule): string {
  if (typeof caller === 'string') return callerTexts[caller];
  const role = caller.deck ? roleTexts[caller.deck] : '';
  const scopes = caller.also ? `scopes \`${caller.scope}\` and \`${caller.also}\`` : `scope \`${caller.scope}\``;
  return `an API key${role} with the ${scopes}, or a dashboard session${role}`;
}

/** For HTTP schemes OpenAPI 3.1 lists the needed roles: here the scope of the key. An empty object means no key. */
export function securityOf(caller: CallerRule): oas31.SecurityRequirementObject[] {
  const session = { dashboardSession: [] };
  if (typeof caller === 'object') return [{ apiKey: [caller.scope, ...(caller.also ? [caller.also] : [])] }, session];
  switch (caller) {
    case 'anyone':
      return [];
    case 'optional-key':
      return [{}, { apiKey: [] }, session];
    case 'any-key':
      return [{ apiKey: [] }];
    case 'session':
      return [session];
    case 'any-key-or-session':
      return [{ apiKey: [] }, session];
  }
}
