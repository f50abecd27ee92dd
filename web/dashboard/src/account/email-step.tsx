import { FailureNotice, wordsOf } from '../ui/failure-notice';
import { Field } from '../ui/field';
import { words } from '../words/en';
import { typedEmail } from './typed-email';
import type { CodeRequest } from './use-code-request';

interface EmailStepProps {
  code: CodeRequest;
  /** The way that fits when the address has no account yet, or has one already. */
  other: { href: string; text: string } | undefined;
}

/** Asks for the address, and sends a code to it. */
export function EmailStep({ code, other }: EmailStepProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void code.request();
      }}
    >
      <Field
        label={words.account.email}
        type="email"
        autocomplete="email"
        required
        dir="ltr"
        value={typedEmail.value}
        onValue={(value) => (typedEmail.value = value)}
      />
      {other ? (
        <div role="alert" class="notice">
          <p>{wordsOf(code.failure).message}</p>
          <a class="button primary" href={other.href}>
            {other.text}
          </a>
        </div>
      ) : (
        <FailureNotice failure={code.failure} />
      )}
      <button type="submit" class={other ? 'button' : 'button primary'} aria-disabled={code.isBusy}>
        {code.isBusy ? words.account.sending : words.account.sendCode}
      </button>
    </form>
  );
}
