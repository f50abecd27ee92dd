import { useState } from 'preact/hooks';
import { CodeField, isCode } from '../../account/code-field';
import { Failure, isFailure, service, type Answer } from '../../service';
import { renameInSession } from '../../session';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { words } from '../../words/en';

type User = Answer<'getAccount'>['user'];
type Asked = Answer<'requestAccountCode'>;

interface ChangeAddressProps {
  user: User;
  onSaved: (user: User) => void;
}

/** Gives the account another address: a code from each of the two shows that both mailboxes are read. */
export function ChangeAddress({ user, onSaved }: ChangeAddressProps) {
  const said = words.settings;
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState<Asked>();
  const asking = useAction(async () => {
    const input = { purpose: 'change-email' as const, newEmail: typed.trim() };
    setAsked(await service().post('requestAccountCode', input, { canRepeat: false }));
  });
  const end = () => {
    setAsked(undefined);
    setTyped('');
  };
  return (
    <section class="card" aria-labelledby="address">
      <div>
        <h2 id="address">{said.address}</h2>
        <p class="quiet">{asked ? said.codesSent(user.email, asked.newEmail!) : said.addressAbout}</p>
      </div>
      {asked ? (
        <Codes
          user={user}
          asked={asked}
          onSaved={(saved) => {
            end();
            onSaved(saved);
          }}
          onEnd={end}
        />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void asking.run();
          }}
        >
          <Field label={said.newAddress} type="email" value={typed} onValue={setTyped} autocomplete="off" required />
          <FailureNotice failure={asking.failure} />
          <div class="actions">
            <button type="submit" class="button" aria-disabled={asking.isBusy}>
              {asking.isBusy ? words.account.sending : said.sendCodes}
            </button>
          </div>
        </form>
      )}
    </section>
  );
}

/** The field that the service names in its refusal. */
const refusedField = (failure: unknown) =>
  failure instanceof Failure && isFailure(failure, 'OTP_INVALID')
    ? ((failure.details as { field?: string } | undefined)?.field ?? 'code')
    : undefined;

function Codes({ user, asked, onSaved, onEnd }: ChangeAddressProps & { asked: Asked; onEnd: () => void }) {
  const said = words.settings;
  const [code, setCode] = useState('');
  const [newCode, setNewCode] = useState('');
  const { requestToken, newRequestToken } = asked;
  const newEmail = asked.newEmail!;
  const changing = useAction(async () => {
    const input = { newEmail, code, newCode, requestToken, newRequestToken };
    const saved = await service().post('changeEmail', input);
    renameInSession({ email: saved.user.email });
    toast(said.addressChanged(saved.user.email));
    onSaved(saved.user);
  });
  const wrong = refusedField(changing.failure);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isCode(code) && isCode(newCode)) void changing.run();
      }}
    >
      <CodeField label={said.codeAt(user.email)} value={code} onValue={setCode} isWrong={wrong === 'code'} />
      <CodeField
        label={said.codeAt(newEmail)}
        value={newCode}
        onValue={setNewCode}
        isWrong={wrong === 'newCode'}
        isFirst={false}
      />
      <FailureNotice failure={changing.failure} />
      <div class="actions">
        <button type="submit" class="button primary" aria-disabled={changing.isBusy}>
          {changing.isBusy ? words.account.checking : said.changeAddress}
        </button>
        <button type="button" class="button" onClick={onEnd}>
          {said.keepAddress}
        </button>
      </div>
    </form>
  );
}
