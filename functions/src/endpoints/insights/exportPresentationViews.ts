import { z } from 'zod';
import { presentationId } from '../../contract/fields';
import { viewFormats } from '../../contract/view-export';
import { viewFilters } from '../../contract/view-fields';
import { tokenNames, viewView } from '../../decks/view-rows';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { pathFields, query } from '../../http/request';
import { sendText } from '../../http/send-text';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { pagesOfViews, type View } from '../../records/views';

export const Input = z.object({
  presentationId,
  format: z.enum(['csv', 'ndjson']).default('csv').meta({
    description:
      'csv: a line of names, then a line for each view; `slides` is JSON. ndjson: a JSON object on each line.',
    example: 'csv',
  }),
  ...viewFilters,
});

export const exportPresentationViews = rawEndpoint({
  name: 'exportPresentationViews',
  about:
    'Streams the views of a deck, newest first, with the filters and the fields of listPresentationViews. A cell of ' +
    "CSV that begins with =, +, -, @ or a tab has a ' before it, so that a spreadsheet does not run it.",
  input: Input,
  paths: { '': '/{presentationId}', ByQuery: '' },
  answers: {
    200: {
      description: 'The views.',
      contentTypes: ['text/csv', 'application/x-ndjson'],
      headers: ['Cache-Control', 'Content-Disposition'],
    },
  },
  method: 'GET',
  caller: { scope: 'presentations:read', deck: 'owner', refusesAdmin: true },
  errors: ['invalid-argument', 'not-found'],
  runtime: { class: 'work' },
  cost: { roundTrips: 4, reads: 4, writes: 0 },

  async handle({ request, response, authorize }) {
    const sent = { ...Object.fromEntries(query(request)), ...pathFields(request, ['presentationId']) };
    const parsed = Input.safeParse(sent);
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { presentationId: id, format, ...filter } = parsed.data;
    const [deck] = await read(presentationRef(id));
    authorize(deck);
    const { type, heading, line } = viewFormats[format];
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    response.setHeader('Content-Disposition', `attachment; filename="views.${format}"`);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    await sendText(response, linesOf(pagesOfViews(id, filter), heading, line));
  },
});

async function* linesOf(
  pages: AsyncIterable<View[]>,
  heading: string,
  line: (typeof viewFormats)['csv']['line'],
): AsyncGenerator<string> {
  if (heading !== '') yield heading;
  let names = new Map<string, string>();
  for await (const page of pages) {
    names = await tokenNames(page, names);
    yield page.map((view) => line(viewView(view, names.get(view.tokenId)!))).join('');
  }
}
