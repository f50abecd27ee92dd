import { config } from '../../config';
import { fileAnswers } from '../../contract/file-answers';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { header } from '../../http/request';
import { labelOfHost } from '../../values/deck-origins';

export const deckSite = rawEndpoint({
  name: 'deckSite',
  about:
    'Serves decks on origins of their own, behind the wildcard host of `DECK_ORIGIN`. It has no address of its own ' +
    'below the base URL.',
  answers: fileAnswers,
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found'],
  runtime: { class: 'viewer' },
  passesContext: true,

  handle({ request }) {
    const deckOrigin = config.deckOrigin();
    const label = deckOrigin && labelOfHost(deckOrigin, header(request, 'host') ?? '');
    return label ? fail('not-found') : fail('not-found');
  },
});
