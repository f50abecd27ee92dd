import { useState } from 'preact/hooks';
import '../../account/account.css';
import { CodeField } from '../../account/code-field';
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
import { Field } from '../../ui/field';
import { Heading } from '../../ui/heading';
import { useAction } from '../../use-action';
import { words } from '../../words/en';

const OVERVIEW = '/dashboard';

/** Creates an account with a code by mail, and goes on to the first deck. */
export default function SignUp({ query }: PageProps) {
  const asked = nextPath(query, OVERVIEW);
  // A new account has no decks to show.
  const next = asked === OVERVIEW ? '/dashboard/new' : asked;
  const signIn = pathWithNext('/dashboard/sign-in', query);
  const code = useCodeRequest((email, signal) =>
    service().post('cliRequestSignupOtp', { email, deviceToken: deviceTokenOf(email) }, { canRepeat: false, signal }),
  );
  const { email } = code;
  useWayOn(next);
  const { signInAbout, signUpAbout } = words.account;
  const invitation = invitationOf(query);

  const isKnown = isFailure(code.failure, 'USER_ALREADY_HAS_ORGANIZATION');
  return (
    <div class="account-page">
      <Heading
        title={words.account.signUp}
        about={code.isSent ? words.account.codeSent(email) : invitation ? signInAbout : signUpAbout}
      />
      {invitation && !code.isSent && <Invited invitation={invitation} />}
      {code.isSent ? (
        <AccountStep email={email} code={code} />
      ) : (
        <EmailStep code={code} other={isKnown ? { href: signIn, text: words.account.signInWith(email) } : undefined} />
      )}
      {!code.isSent && !isKnown && (
        <p class="quiet">
          {words.account.haveAccount} <a href={signIn}>{words.account.signIn}</a>
        </p>
      )}
    </div>
  );
}

interface AccountStepProps {
  email: string;
  code: CodeRequest;
}

function AccountStep({ email, code }: AccountStepProps) {
  const [digits, setDigits] = useState('');
  const [firstName, setFirstName] = useState('');
  const [lastName, setLastName] = useState('');
  const [company, setCompany] = useState('');
  const create = useAction(async () => {
    const user = { firstName: firstName.trim(), ...(lastName.trim() && { lastName: lastName.trim() }) };
    const named = company.trim() ? { company: { name: company.trim() } } : {};
    const input = { email, code: digits, requestToken: code.requestToken, user, ...named };
    try {
      await enter(await service().post('completeDashboardSignup', input, { canRepeat: false }));
    } catch (error) {
      if (isFailure(error, 'OTP_INVALID')) setDigits('');
      throw error;
    }
  });
  const again = async () => {
    create.clear();
    setDigits('');
    await code.request();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <CodeField value={digits} onValue={setDigits} isWrong={isFailure(create.failure, 'OTP_INVALID')} />
      <FailureNotice failure={create.failure ?? code.failure} />
      <div class="pair">
        <Field
          label={words.account.firstName}
          autocomplete="given-name"
          required
          dir="auto"
          maxLength={60}
          value={firstName}
          onValue={setFirstName}
        />
        <Field
          label={words.account.lastName}
          autocomplete="family-name"
          dir="auto"
          maxLength={60}
          value={lastName}
          onValue={setLastName}
        />
      </div>
      <Field
        label={words.account.organization}
        hint={words.account.organizationHint}
        autocomplete="organization"
        dir="auto"
        maxLength={100}
        value={company}
        onValue={setCompany}
      />
      <p class="quiet small">
        {words.account.accept} <a href="/terms">{words.account.terms}</a> {words.account.and}{' '}
        <a href="/privacy">{words.account.privacy}</a>.
      </p>
      <button type="submit" class="button primary" aria-disabled={create.isBusy}>
        {create.isBusy ? words.account.checking : words.account.create}
      </button>
      <SentTo email={email} wait={code.wait} isBusy={code.isBusy} onAgain={() => void again()} onOther={code.restart} />
    </form>
  );
}
