import { useDraft } from '../../draft';
import { service } from '../../service';
import { CommandStrip, quoted } from '../../ui/command-strip';
import { FailureNotice } from '../../ui/failure-notice';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import { ListingCard } from './listing-card';
import { fieldsOf, inputOf, type Listing, type ListingFields } from './listing-fields';
import { ListingForm } from './listing-form';
import { ListingState } from './listing-state';
import { useChange } from './use-change';
import type { Deck } from './use-deck';

interface EditorProps {
  deck: Deck;
  /** Null before the first publication. */
  listing: Listing | null;
  reload: () => Promise<void>;
}

/** The form of the listing, beside the card that the marketplace will show. */
export function ListingEditor({ deck, listing, reload }: EditorProps) {
  const draft = useDraft(`listing ${deck.id}`, () => fieldsOf(listing, deck));
  const fields = draft.value;
  const change = useChange({ reload }, firstForms(deck, listing));
  const { publish, update, preview } = words.deckListing;
  const save = () => {
    const form = formsOf(deck, fields, listing);
    return change.run(async (once) => {
      if (listing) await service().post('updateMarketplaceListing', { slug: listing.slug, ...inputOf(fields) });
      else await service().post('publishMarketplaceListing', newInput(deck, fields), once);
      draft.forget(fields);
      toast(listing ? words.deckListing.updated : words.deckListing.published);
    }, form);
  };
  return (
    <>
      {listing && <ListingState deck={deck} listing={listing} change={change} />}
      <div class="editor">
        <form
          class="card"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <ListingForm
            deck={deck}
            fields={fields}
            isNew={!listing}
            isRefused={change.failure !== undefined}
            onFields={(changed) => draft.set(changed)}
          />
          <FailureNotice failure={change.failure} />
          <div class="actions">
            <button type="submit" class="button primary" aria-disabled={change.isBusy}>
              {listing ? update : publish}
            </button>
          </div>
        </form>
        <aside>
          <h3 class="quiet small">{preview}</h3>
          <ListingCard deck={deck} listing={listing} fields={fields} />
        </aside>
      </div>
      <CommandStrip {...change.done} />
    </>
  );
}

const newInput = ({ id }: Deck, fields: ListingFields) => ({
  presentationId: id,
  ...inputOf(fields),
  ...(fields.slug.trim() && { slug: fields.slug.trim() }),
});

const firstForms = ({ id }: Deck, listing: Listing | null) =>
  listing
    ? {
        command: `deck listing ${listing.slug}`,
        call: { name: 'getMarketplaceListing' as const, method: 'GET' as const, input: { slug: listing.slug } },
      }
    : {
        command: `deck publish ${id} --description 'What the deck is'`,
        call: {
          name: 'publishMarketplaceListing' as const,
          method: 'POST' as const,
          input: { presentationId: id, kind: 'presentation', description: 'What the deck is' },
        },
      };

/** `deck publish` would list an unlisted deck again. */
function formsOf(deck: Deck, fields: ListingFields, listing: Listing | null) {
  const input = inputOf(fields);
  const options = [
    `--kind ${input.kind}`,
    `--title ${quoted(input.title)}`,
    `--description ${quoted(input.description)}`,
    ...(input.category ? [`--category ${quoted(input.category)}`] : []),
    ...input.tags.map((tag) => `--tag ${quoted(tag)}`),
    ...input.techStack.map((technology) => `--stack ${quoted(technology)}`),
    ...(!listing && fields.slug.trim() ? [`--slug ${fields.slug.trim()}`] : []),
    input.interactive ? '--interactive' : '--no-interactive',
    `--version ${input.version}`,
  ];
  return {
    ...(listing?.status !== 'unlisted' && { command: `deck publish ${deck.id} ${options.join(' ')}` }),
    call: listing
      ? { name: 'updateMarketplaceListing' as const, method: 'POST' as const, input: { slug: listing.slug, ...input } }
      : { name: 'publishMarketplaceListing' as const, method: 'POST' as const, input: newInput(deck, fields) },
  };
}
