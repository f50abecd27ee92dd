import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { linkRules, newTokenName, presentationId, shareTokenRow, tokenId, versionMode } from '../../contract/fields';
import { changeLinkOf, prepareRules } from '../../decks/link-changes';
import { tokenView } from '../../decks/link-rows';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { readViewsOfToken } from '../../records/view-counters';

const changes = ['name', 'versionMode', ...Object.keys(linkRules)] as const;

export const Input = z
  .object({
    presentationId,
    tokenId,
    name: newTokenName.optional(),
    versionMode: versionMode.optional().meta({ description: 'Which version the link opens from now on.' }),
    ...linkRules,
  })
  .refine((input) => changes.some((field) => input[field as keyof typeof input] !== undefined), {
    path: ['name'],
    error: `Send at least one of ${changes.join(', ')}.`,
  })
  .meta({
    anyOf: changes.map((field) => ({ required: [field] })),
    example: { presentationId: example.deckId, tokenId: example.tokenId, name: 'Board meeting' },
  });

export const Answer = shareTokenRow;

export const updateShareToken = endpoint({
  name: 'updateShareToken',
  about:
    'Changes the name or the rules of a link, and returns the link; its address and each field that is not sent stay ' +
    'as they are. Of a revoked link only the name can change: otherwise the call answers 409. The link of the ' +
    'recipient of a mail stays personal under each name. An admin key may not call it.',
  command: `deck links set ${example.tokenId} --name 'Board meeting' --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 8, reads: 10, writes: 4 },

  async handle({ input: { presentationId: id, tokenId: of, name, versionMode: mode, ...sent }, ...call }) {
    const { authorize, now, idempotency } = call;
    const caller = asMember(call.caller);
    const rulesFor = await prepareRules(sent);
    const change = { presentationId: id, tokenId: of, name, versionMode: mode, rules: () => rulesFor(caller, now) };
    return idempotency.run(
      async (tx) => {
        const { deck, token } = await changeLinkOf(tx, change, authorize);
        const views = new Map([[of, await readViewsOfToken(deck, of)]]);
        return tokenView(deck, token, { views, caller, now });
      },
      (answer) => answer,
    );
  },
});
