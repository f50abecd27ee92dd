import { useId, useState } from 'preact/hooks';
import { Field } from '../../ui/field';
import { words } from '../../words/en';
import type { ListingFields } from './listing-fields';
import { TextArea } from '../../ui/text-area';
import type { Deck } from './use-deck';

interface ListingFormProps {
  deck: Deck;
  fields: ListingFields;
  isNew: boolean;
  /** Whether the service refused the fields. It may name one that is folded away. */
  isRefused: boolean;
  onFields: (fields: ListingFields) => void;
}

const kinds = ['presentation', 'app', 'plan'] as const;

export function ListingForm({ deck, fields, isNew, isRefused, onFields }: ListingFormProps) {
  const id = useId();
  const said = words.deckListing;
  const put =
    <N extends keyof ListingFields>(name: N) =>
    (value: ListingFields[N]) =>
      onFields({ ...fields, [name]: value });
  const versions = Array.from({ length: deck.version }, (_, i) => deck.version - i);
  return (
    <>
      <Field label={said.title} value={fields.title} onValue={put('title')} maxLength={255} required dir="auto" />
      <TextArea
        label={said.description}
        hint={said.descriptionHint}
        value={fields.description}
        onValue={put('description')}
        rows={3}
        maxLength={500}
        required
        dir="auto"
      />
      <div class="pair">
        <div class="field">
          <label for={`${id}-kind`}>{said.kind}</label>
          <select
            id={`${id}-kind`}
            value={fields.kind}
            onChange={(event) => put('kind')(event.currentTarget.value as ListingFields['kind'])}
          >
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {said.kinds[kind]}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-version`}>{said.version}</label>
          <select
            id={`${id}-version`}
            value={fields.version}
            onChange={(event) => put('version')(event.currentTarget.value)}
          >
            {versions.map((version) => (
              <option key={version} value={String(version)}>
                {said.versionOf(version, version === deck.version)}
              </option>
            ))}
          </select>
        </div>
      </div>
      <Field label={said.category} value={fields.category} onValue={put('category')} maxLength={60} dir="auto" />
      <Field label={said.tags} hint={said.tagsHint} value={fields.tags} onValue={put('tags')} />
      <MoreFields fields={fields} isNew={isNew} isRefused={isRefused} put={put} />
    </>
  );
}

interface MoreFieldsProps extends Pick<ListingFormProps, 'fields' | 'isNew' | 'isRefused'> {
  put: <N extends keyof ListingFields>(name: N) => (value: ListingFields[N]) => void;
}

/** The fields that most listings leave empty. They are open when one has a value, or when one may be wrong. */
function MoreFields({ fields, isNew, isRefused, put }: MoreFieldsProps) {
  const said = words.deckListing;
  const [isOpen, setOpen] = useState(fields.techStack !== '' || fields.interactive);
  return (
    <details
      class="more-fields"
      open={isOpen || isRefused}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onInvalidCapture={(event) => {
        // At once: the browser then moves the focus to the wrong field, which must be visible.
        event.currentTarget.open = true;
      }}
    >
      <summary>{said.more}</summary>
      <Field label={said.stack} hint={said.stackHint} value={fields.techStack} onValue={put('techStack')} />
      {isNew && (
        <Field
          label={said.slug}
          hint={said.slugHint}
          value={fields.slug}
          onValue={put('slug')}
          maxLength={80}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          title={said.slugHint}
        />
      )}
      {fields.kind !== 'app' && (
        <label class="check">
          <input
            type="checkbox"
            checked={fields.interactive}
            onChange={(event) => put('interactive')(event.currentTarget.checked)}
          />
          {said.interactive}
        </label>
      )}
    </details>
  );
}
