import { useState } from 'preact/hooks';
import '../../account/account.css';
import { CodeField, isCode } from '../../account/code-field';
import { deviceTokenOf } from '../../account/device-tokens';
import { EmailStep } from '../../account/email-step';
import { enter, useWayOn } from '../../account/enter';
import { invitationOf, Invited } from '../../account/invited';
import { nextPath, pathWithNext } from '../../account/next-path';
import { SentTo } from '../../account/sent-to';
import { useCodeRequest, type CodeRequest } from '../../account/use-code-request';
import type { PageProps } from '../../navigation';
import { isFailure, service } from '../../service';
import { FailureNotice } from '../../ui/failure-notice';
import { Heading } from '../../ui/heading';
import { useAction } from '../../use-action';
import { words } from '../../words/en';

/** Signs in with a code by mail. An address without an account is led to the page that makes one. */
export default function SignIn({ query }: PageProps) {
  const next = nextPath(query, '/dashboard');
  const signUp = pathWithNext('/dashboard/sign-up', query);
  const code = useCodeRequest((email, signal) =>
    service().post('cliRequestLoginOtp', { email, deviceToken: deviceTokenOf(email) }, { canRepeat: false, signal }),
  );
  const { email } = code;
  useWayOn(next);
  const invitation = invitationOf(query);

  const isUnknown = isFailure(code.failure, 'USER_NOT_FOUND', 'USER_HAS_NO_ORGANIZATION');
  return (
    <div class="account-page">
      <Heading
        title={words.account.signIn}
        about={code.isSent ? words.account.codeSent(email) : words.account.signInAbout}
      />
      {query.has('ended') && !code.isSent && <p class="notice">{words.account.ended}</p>}
      {invitation && !code.isSent && <Invited invitation={invitation} />}
      {code.isSent ? (
        <CodeStep email={email} code={code} />
      ) : (
        <EmailStep
          code={code}
          other={isUnknown ? { href: signUp, text: words.account.createWith(email) } : undefined}
        />
      )}
      {!code.isSent && !isUnknown && (
        <p class="quiet">
          {words.account.newHere} <a href={signUp}>{words.account.signUp}</a>
        </p>
      )}
    </div>
  );
}

interface CodeStepProps {
  email: string;
  code: CodeRequest;
}

function CodeStep({ email, code }: CodeStepProps) {
  const [digits, setDigits] = useState('');
  const check = useAction(async (entered: string) => {
    try {
      const input = { email, code: entered, requestToken: code.requestToken };
      await enter(await service().post('createDashboardSession', input, { canRepeat: false }));
    } catch (error) {
      setDigits('');
      throw error;
    }
  });
  const again = async () => {
    check.clear();
    setDigits('');
    await code.request();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void check.run(digits);
      }}
    >
      <CodeField
        value={digits}
        onValue={(entered) => {
          setDigits(entered);
          if (isCode(entered)) void check.run(entered);
        }}
        isWrong={isFailure(check.failure, 'OTP_INVALID')}
      />
      <FailureNotice failure={check.failure ?? code.failure} />
      <button type="submit" class="button primary" aria-disabled={check.isBusy}>
        {check.isBusy ? words.account.checking : words.account.signIn}
      </button>
      <SentTo email={email} wait={code.wait} isBusy={code.isBusy} onAgain={() => void again()} onOther={code.restart} />
    </form>
  );
}
