import { useDraft } from '../../draft';
import { service, type Answer } from '../../service';
import { renameInSession } from '../../session';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { words } from '../../words/en';
import { FormEnd } from './form-end';

type User = Answer<'getAccount'>['user'];

const namesOf = ({ firstName, lastName }: User) => ({ firstName, lastName: lastName ?? '' });

/** The name of the person. */
export function ProfileForm({ user, onSaved }: { user: User; onSaved: (user: User) => void }) {
  const draft = useDraft('profile', () => namesOf(user));
  const { firstName, lastName } = draft.value;
  const isChanged = firstName.trim() !== user.firstName || lastName.trim() !== (user.lastName ?? '');
  const saving = useAction(async () => {
    const saved = await service().post('updateProfile', { firstName, lastName: lastName.trim() || null });
    draft.forget(namesOf(saved.user));
    renameInSession({ displayName: saved.user.displayName });
    onSaved(saved.user);
    toast(words.settings.saved);
  });
  const discard = () => {
    draft.forget(namesOf(user));
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
          onValue={(typed) => draft.set({ firstName: typed })}
          maxLength={60}
          autocomplete="given-name"
          dir="auto"
          required
        />
        <Field
          label={words.settings.lastName}
          value={lastName}
          onValue={(typed) => draft.set({ lastName: typed })}
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
