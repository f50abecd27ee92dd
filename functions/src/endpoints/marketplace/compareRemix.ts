import { z } from 'zod';
import { manifestFile, path, presentationId, version } from '../../contract/fields';
import { answeredSlug } from '../../contract/listings';
import { endpoint } from '../../http/endpoint';
import { assertRemix, assertSource, readStates, sourceRef } from '../../marketplace/remix-source';
import { whileShown } from '../../marketplace/remixes';
import { remixChanges } from '../../policy/remix-changes';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';

export const Input = z.object({ presentationId });

const state = (of: string) =>
  manifestFile.nullable().meta({ description: `The file in ${of}. Null where there is none.` });

export const Answer = z.object({
  version: version.meta({ description: 'The version of the deck that was compared.', example: 2 }),
  source: z
    .object({
      slug: answeredSlug,
      version: version.meta({ description: 'The version of the source that the deck took last.', example: 1 }),
      latest: version.meta({ description: 'The version that the source shows now.', example: 2 }),
    })
    .meta({ description: 'The listing of which the deck is a remix.' }),
  added: z.array(manifestFile).meta({ description: 'Files that the source added, as they are there.' }),
  changed: z
    .array(
      z
        .object({
          path,
          from: manifestFile.meta({ description: 'The file in the deck.' }),
          to: manifestFile.meta({ description: 'The file in the source.' }),
        })
        .meta({ id: 'SourceChange', description: 'A file that only the source changed.' }),
    )
    .meta({ description: 'Files that only the source changed.' }),
  removed: z.array(manifestFile).meta({ description: 'Files that the source removed, as the deck has them.' }),
  both: z
    .array(
      z
        .object({ path, base: state('the base'), here: state('the deck'), source: state('the source') })
        .meta({ id: 'BothChanged', description: 'A file that the deck and its source changed in different ways.' }),
    )
    .meta({ description: 'Files that changed on both sides. updateRemix does not take them.' }),
});

export const compareRemix = endpoint({
  name: 'compareRemix',
  about:
    'Compares a remix with the version that its source shows now. The base is what the remix took of the source: its ' +
    'first version, and then what each updateRemix took. A file with the same bytes in both is no change. The call ' +
    'answers 409 with the `state` of a source that is not public any more.',
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'member', refusesAdmin: true },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict'],
  runtime: { class: 'read' },
  cost: { roundTrips: 4, reads: 6, writes: 0 },

  async handle({ input: { presentationId: id }, authorize }) {
    const [found] = await read(presentationRef(id));
    const deck = authorize(found);
    const of = assertRemix(deck);
    const [listing] = await read(sourceRef(of));
    const source = assertSource(of, listing);
    const states = await whileShown(source, () => readStates(deck, of, source));
    return {
      version: deck.current.version,
      source: { slug: of.slug, version: of.version, latest: source.pinned.version },
      ...remixChanges(states),
    };
  },
});
