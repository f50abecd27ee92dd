import { useDraft } from '../../draft';
import { setOwnColour } from '../../deck-picture/own-colour';
import { service, type Answer, type Contract } from '../../service';
import { renameInSession } from '../../session';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { TextArea } from '../../ui/text-area';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { words } from '../../words/en';
import { ColourField } from './colour-field';
import { FormEnd } from './form-end';
import { MailLook } from './mail-look';

type Organization = Answer<'getAccount'>['organization'];
type Changes = Contract['updateOrganization']['input'];

/** The logo and the other colours are in no mail and on no page, so that they are not asked for. */
const textFields = ['name', 'description', 'tone', 'brandPrimary'] as const;
type Texts = Record<(typeof textFields)[number], string>;
const aboutOrganization = { rows: 2, maxLength: 10_000, dir: 'auto' } as const;

const textsOf = (organization: Organization): Texts =>
  Object.fromEntries(textFields.map((field) => [field, organization[field] ?? ''])) as Texts;

/** The fields that differ from what is stored. An empty text removes the value. */
function changesOf(texts: Texts, organization: Organization): Changes {
  const stored = textsOf(organization);
  const changed = textFields.filter((field) => texts[field].trim() !== stored[field]);
  return Object.fromEntries(
    changed.map((field) => [field, field === 'name' ? texts.name.trim() : texts[field].trim() || null]),
  );
}

interface OrganizationFormProps {
  organization: Organization;
  /** The person, for the preview. */
  sender: { name: string; email: string };
  onSaved: (organization: Organization) => void;
}

/** The name, the texts and the colour of the organization. */
export function OrganizationForm({ organization, sender, onSaved }: OrganizationFormProps) {
  const draft = useDraft('organization', () => textsOf(organization));
  const texts = draft.value;
  const changes = changesOf(texts, organization);
  const isChanged = Object.keys(changes).length > 0;
  const set = (field: keyof Texts) => (value: string) => draft.set({ [field]: value });
  const saving = useAction(async () => {
    const saved = (await service().post('updateOrganization', changes)).organization;
    draft.forget(textsOf(saved));
    renameInSession({ organizationName: saved.name });
    setOwnColour(saved.organizationId, saved.brandPrimary);
    onSaved(saved);
    toast(words.settings.saved);
  });
  const discard = () => {
    draft.forget(textsOf(organization));
    saving.clear();
  };
  return (
    <form
      class="card"
      aria-labelledby="organization"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) void saving.run();
      }}
    >
      <div>
        <h2 id="organization">{words.settings.organization}</h2>
        <p class="quiet">{words.settings.organizationAbout}</p>
      </div>
      <Field
        label={words.settings.name}
        value={texts.name}
        onValue={set('name')}
        maxLength={100}
        autocomplete="organization"
        dir="auto"
        required
      />
      <TextArea
        {...aboutOrganization}
        label={words.settings.description}
        value={texts.description}
        onValue={set('description')}
      />
      <TextArea
        {...aboutOrganization}
        label={words.settings.tone}
        hint={words.settings.toneHint}
        value={texts.tone}
        onValue={set('tone')}
      />
      <ColourField label={words.settings.colour} value={texts.brandPrimary} onValue={set('brandPrimary')} />
      <MailLook sender={sender} organization={texts.name} colour={texts.brandPrimary} />
      <FailureNotice failure={saving.failure} />
      <FormEnd isChanged={isChanged} isBusy={saving.isBusy} onDiscard={discard} />
    </form>
  );
}
