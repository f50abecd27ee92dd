import { useState } from 'preact/hooks';
import { service } from '../../service';
import { confirm } from '../../ui/confirm';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { words } from '../../words/en';

/** Removes a reader from all decks of the organization, after a question. */
export function ForgetReader() {
  const [email, setEmail] = useState('');
  const said = words.insights.forget;
  const forgetting = useAction(async () => {
    const address = email.trim();
    if (!(await confirm({ title: said.ask(address), text: said.what, action: said.action }))) return;
    const { email: forgotten } = await service().post('forgetReader', { email: address });
    setEmail('');
    toast(said.done(forgotten));
  });
  return (
    <form
      class="card"
      aria-labelledby="forget"
      onSubmit={(event) => {
        event.preventDefault();
        void forgetting.run();
      }}
    >
      <div>
        <h2 id="forget">{said.title}</h2>
        <p class="quiet">{said.about}</p>
      </div>
      <Field label={said.email} type="email" value={email} onValue={setEmail} autocomplete="off" required />
      <FailureNotice failure={forgetting.failure} />
      <div class="actions">
        <button type="submit" class="button danger" aria-disabled={forgetting.isBusy}>
          {said.action}
        </button>
      </div>
    </form>
  );
}
