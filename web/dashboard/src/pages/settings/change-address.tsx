import { useState } from 'preact/hooks';
import { service, type Answer } from '../../service';
import { renameInSession } from '../../session';
import { Field } from '../../ui/field';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import { ConfirmByCode } from './confirm-by-code';

type User = Answer<'getAccount'>['user'];

interface ChangeAddressProps {
  user: User;
  onSaved: (user: User) => void;
}

/** Gives the account another address: a code from each of the two shows that both mailboxes are read. */
export function ChangeAddress({ user, onSaved }: ChangeAddressProps) {
  const said = words.settings;
  const [typed, setTyped] = useState('');
  const end = () => setTyped('');
  return (
    <section class="card" aria-labelledby="address">
      <div>
        <h2 id="address">{said.address}</h2>
        <p class="quiet">{said.addressAbout}</p>
      </div>
      <ConfirmByCode
        request={{ purpose: 'change-email', newEmail: typed.trim() }}
        email={user.email}
        send={said.sendCodes}
        act={said.changeAddress}
        cancel={said.keepAddress}
        before={
          <Field label={said.newAddress} type="email" value={typed} onValue={setTyped} autocomplete="off" required />
        }
        onCodes={async ({ newEmail, code, newCode, requestToken, newRequestToken }) => {
          const input = { newEmail: newEmail!, code, newCode, requestToken, newRequestToken };
          const saved = await service().post('changeEmail', input);
          renameInSession({ email: saved.user.email });
          toast(said.addressChanged(saved.user.email));
          end();
          onSaved(saved.user);
        }}
        onCancel={end}
      />
    </section>
  );
}
