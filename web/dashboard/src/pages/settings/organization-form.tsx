import { useState } from 'preact/hooks';
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
import { LogoField, useLogo } from './logo-field';
import { MailLook } from './mail-look';

type Organization = Answer<'getAccount'>['organization'];
type Changes = Contract['updateOrganization']['input'];

const textFields = ['name', 'description', 'tone', 'brandPrimary', 'brandSecondary', 'brandAccent'] as const;
const colourFields = ['brandPrimary', 'brandSecondary', 'brandAccent'] as const;
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
  /** The name of the person, for the preview. */
  sender: string;
  onSaved: (organization: Organization) => void;
}

/** The name, the texts, the colours and the logo of the organization. */
export function OrganizationForm({ organization, sender, onSaved }: OrganizationFormProps) {
  const [texts, setTexts] = useState(() => textsOf(organization));
  const logo = useLogo(organization);
  const changes: Changes = {
    ...changesOf(texts, organization),
    ...(logo.change !== undefined && { logo: logo.change }),
  };
  const isChanged = Object.keys(changes).length > 0;
  const set = (field: keyof Texts) => (value: string) => setTexts({ ...texts, [field]: value });
  const saving = useAction(async () => {
    const saved = (await service().post('updateOrganization', changes)).organization;
    setTexts(textsOf(saved));
    logo.settle();
    renameInSession({ organizationName: saved.name });
    onSaved(saved);
    toast(words.settings.saved);
  });
  const discard = () => {
    setTexts(textsOf(organization));
    logo.discard();
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
      <div class="colours">
        {colourFields.map((field) => (
          <ColourField key={field} label={words.settings[field]} value={texts[field]} onValue={set(field)} />
        ))}
      </div>
      <LogoField logo={logo} name={organization.name} />
      <MailLook sender={sender} name={texts.name} colour={texts.brandPrimary} />
      <FailureNotice failure={saving.failure} />
      <FormEnd isChanged={isChanged} isBusy={saving.isBusy} onDiscard={discard} />
    </form>
  );
}
