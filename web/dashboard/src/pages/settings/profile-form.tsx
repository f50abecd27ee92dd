import { useState } from 'preact/hooks';
import { service, type Answer } from '../../service';
import { renameInSession } from '../../session';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { words } from '../../words/en';
import { FormEnd } from './form-end';

type User = Answer<'getAccount'>['user'];

/** The name of the person. */
export function ProfileForm({ user, onSaved }: { user: User; onSaved: (user: User) => void }) {
  const [firstName, setFirstName] = useState(user.firstName);
  const [lastName, setLastName] = useState(user.lastName ?? '');
  const isChanged = firstName.trim() !== user.firstName || lastName.trim() !== (user.lastName ?? '');
  const saving = useAction(async () => {
    const saved = await service().post('updateProfile', { firstName, lastName: lastName.trim() || null });
    setFirstName(saved.user.firstName);
    setLastName(saved.user.lastName ?? '');
    renameInSession({ displayName: saved.user.displayName });
    onSaved(saved.user);
    toast(words.settings.saved);
  });
  const discard = () => {
    setFirstName(user.firstName);
    setLastName(user.lastName ?? '');
    saving.clear();
  };
  return (
    <form
      class="card"
      aria-labelledby="profile"
      onSubmit={(event) => {
        event.preventDefault();
        void saving.run();
      }}
    >
      <div>
        <h2 id="profile">{words.settings.profile}</h2>
        <p class="quiet">{words.settings.profileAbout}</p>
      </div>
      <div class="pair">
        <Field
          label={words.settings.firstName}
          value={firstName}
          onValue={setFirstName}
          maxLength={60}
          autocomplete="given-name"
          dir="auto"
          required
        />
        <Field
          label={words.settings.lastName}
          value={lastName}
          onValue={setLastName}
          maxLength={60}
          autocomplete="family-name"
          dir="auto"
        />
      </div>
      <Field
        label={words.settings.email}
        hint={words.settings.emailHint}
        type="email"
        value={user.email}
        onValue={() => undefined}
        disabled
      />
      <FailureNotice failure={saving.failure} />
      <FormEnd isChanged={isChanged} isBusy={saving.isBusy} onDiscard={discard} />
    </form>
  );
}
