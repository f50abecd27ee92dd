import { useState } from 'preact/hooks';
import { leaveDeleted } from '../../account/leave';
import { service } from '../../service';
import { Field } from '../../ui/field';
import { words } from '../../words/en';
import { ConfirmByCode } from './confirm-by-code';

interface DeleteAccountProps {
  email: string;
  organizationName: string;
}

/** Deletes the account. What ends and what stays is told before a code is mailed for it. */
export function DeleteAccount({ email, organizationName }: DeleteAccountProps) {
  const said = words.settings.deleting;
  const [typed, setTyped] = useState('');
  const confirm = typed.trim();
  return (
    <section class="card" aria-labelledby="delete">
      <div>
        <h2 id="delete">{said.title}</h2>
        <p class="quiet">
          {said.about} <a href="#export">{said.exportFirst}</a>
        </p>
      </div>
      <dl class="effects">
        {said.effects.map(([when, what]) => (
          <div key={when}>
            <dt>{when}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <ConfirmByCode
        request={{ purpose: 'delete' }}
        email={email}
        send={said.sendCode}
        act={said.action}
        cancel={said.keep}
        isDanger
        isReady={confirm === organizationName.trim()}
        onCodes={async ({ code, requestToken }) => {
          await service().post('deleteAccount', { code, requestToken, confirm }, { canRepeat: false });
          leaveDeleted();
        }}
        onCancel={() => setTyped('')}
      >
        <Field
          label={words.shell.typeToConfirm(organizationName)}
          value={typed}
          onValue={setTyped}
          autocomplete="off"
          spellcheck={false}
          dir="auto"
          required
        />
      </ConfirmByCode>
    </section>
  );
}
