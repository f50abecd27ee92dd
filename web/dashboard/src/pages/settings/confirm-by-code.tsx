import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CodeField, isCode } from '../../account/code-field';
import { Failure, isFailure, service, type Answer, type Contract } from '../../service';
import { FailureNotice } from '../../ui/failure-notice';
import { useAction } from '../../use-action';
import { words } from '../../words/en';

type Asked = Answer<'requestAccountCode'>;

/** The codes that were mailed, and the requests that they belong to. Those of `newEmail` are for a new address only. */
interface Codes extends Omit<Asked, 'expiresInSeconds'> {
  code: string;
  newCode: string;
}

interface ConfirmByCodeProps {
  /** What the codes confirm. */
  request: Contract['requestAccountCode']['input'];
  /** The address of the account. */
  email: string;
  /** The texts of the buttons: to send the codes, to act with them, and to end without the act. */
  send: string;
  act: string;
  cancel?: string;
  isDanger?: boolean;
  /** Whether the other fields of the act are filled in. The button is not pressed before. */
  isReady?: boolean;
  /** The fields that the request needs. */
  before?: ComponentChildren;
  /** The fields that the act needs beside the codes. */
  children?: ComponentChildren;
  /** Acts with the codes. When it rejects, the form stays and says why. */
  onCodes: (codes: Codes) => Promise<void>;
  onCancel?: () => void;
}

/** The field that the service names in its refusal. */
const refusedField = (failure: unknown) =>
  failure instanceof Failure && isFailure(failure, 'OTP_INVALID')
    ? ((failure.details as { field?: string } | undefined)?.field ?? 'code')
    : undefined;

/** An act of the account: first a code is mailed to each address, then the form asks for the codes. */
export function ConfirmByCode(props: ConfirmByCodeProps) {
  const { request, send, before, onCodes, onCancel } = props;
  const [asked, setAsked] = useState<Asked>();
  const asking = useAction(async () => {
    setAsked(await service().post('requestAccountCode', request, { canRepeat: false }));
  });
  if (asked)
    return (
      <CodeForm
        {...props}
        asked={asked}
        onCodes={async (codes) => {
          await onCodes(codes);
          setAsked(undefined);
        }}
        onCancel={() => {
          setAsked(undefined);
          onCancel?.();
        }}
      />
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void asking.run();
      }}
    >
      {before}
      <FailureNotice failure={asking.failure} />
      <div class="actions">
        <button type="submit" class="button" aria-disabled={asking.isBusy}>
          {asking.isBusy ? words.account.sending : send}
        </button>
      </div>
    </form>
  );
}

function CodeForm(props: ConfirmByCodeProps & { asked: Asked }) {
  const { asked, email, act, cancel = words.shell.cancel, children, onCodes, onCancel } = props;
  const { isDanger = false, isReady = true } = props;
  const said = words.settings;
  const [code, setCode] = useState('');
  const [newCode, setNewCode] = useState('');
  const { newEmail } = asked;
  const acting = useAction(() => onCodes({ ...asked, code, newCode }));
  const wrong = refusedField(acting.failure);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isCode(code) && (newEmail === undefined || isCode(newCode))) void acting.run();
      }}
    >
      <p class="quiet">{newEmail === undefined ? said.codeSent(email) : said.codesSent(email, newEmail)}</p>
      <CodeField label={said.codeAt(email)} value={code} onValue={setCode} isWrong={wrong === 'code'} />
      {newEmail !== undefined && (
        <CodeField
          label={said.codeAt(newEmail)}
          value={newCode}
          onValue={setNewCode}
          isWrong={wrong === 'newCode'}
          isFirst={false}
        />
      )}
      {children}
      <FailureNotice failure={acting.failure} />
      <div class="actions">
        <button
          type="submit"
          class={`button ${isDanger ? 'danger' : 'primary'}`}
          aria-disabled={acting.isBusy || !isReady}
        >
          {acting.isBusy ? words.account.checking : act}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          {cancel}
        </button>
      </div>
    </form>
  );
}
