import { config } from '../config';
import { MAX_ASK_MESSAGE } from '../values/ask-message';
import { askUrl } from '../values/deck-origins';
import type { AskState } from '../values/page-states';
import { CodeForms, EmailField, gateFramePolicy, HiddenFields, renderGate, Wrong, wrongField } from './gate-frame';

interface AskPage {
  label: string;
  state: AskState | undefined;
  /** The state as it stands in the address. */
  sealed: string | undefined;
  now: Date;
}

/** The Content-Security-Policy of the page. Its forms lead to the function, and back to the page. */
export const askPolicy = () =>
  gateFramePolicy({
    brandPrimary: null,
    targets: [new URL(config.baseUrl()).origin, new URL(config.viewerUrl()).origin],
  });

const titles = { form: 'Ask for access', code: 'Enter your code', sent: 'Your request is sent' };

/** The page on which a person without a link asks for access. It shows the same for every label. */
export function askPage(page: AskPage): string {
  const { step = 'form' } = page.state ?? {};
  return renderGate({
    title: titles[step],
    brandPrimary: null,
    children: (
      <>
        <h1>{titles[step]}</h1>
        {step === 'form' && <FirstForm {...page} />}
        {step === 'code' && <CodeStep {...page} state={page.state!} />}
        {step === 'sent' && <Sent email={page.state!.email} />}
      </>
    ),
  });
}

const action = () => `${config.baseUrl()}/askForAccess`;
const fieldsOf = ({ label, sealed }: AskPage) => ({ label, gate: sealed });

const problems = {
  email: 'This is not an email address. Check it and try again.',
  message: `Keep the message to ${MAX_ASK_MESSAGE} characters, without web and email addresses.`,
  late: 'More than 10 minutes have passed. Please start again.',
};

function FirstForm({ label, state }: AskPage) {
  const wrong = state?.wrong === 'code' ? undefined : state?.wrong;
  return (
    <>
      <p>You need a link to open a presentation. If you know its owner, ask for one.</p>
      <form method="post" action={action()}>
        <HiddenFields fields={{ label }} />
        {wrong && <Wrong>{problems[wrong]}</Wrong>}
        <EmailField value={state?.email} isFirst={wrong !== 'message'} isWrong={wrong === 'email'} />
        <label for="message">Who you are (optional)</label>
        <textarea
          id="message"
          name="message"
          maxLength={MAX_ASK_MESSAGE}
          autofocus={wrong === 'message'}
          {...(wrong === 'message' && wrongField)}
        >
          {state?.message}
        </textarea>
        <button class="first">Continue</button>
      </form>
      <p class="quiet">
        We mail you a code, so that the owner knows that the address is yours. The owner sees your address and your
        message. Both are deleted after 7 days.
      </p>
    </>
  );
}

function CodeStep(page: AskPage & { state: AskState }) {
  const { label, state, now } = page;
  const { email, wrong, attemptsRemaining = 0, nextCodeAt } = state;
  return (
    <>
      <p>
        A code is on its way to <bdi>{email}</bdi>. It works for 10 minutes.
      </p>
      <CodeForms
        action={action()}
        fields={fieldsOf(page)}
        email={email}
        button="Send the request"
        isWrong={wrong === 'code'}
        attemptsRemaining={attemptsRemaining}
        nextCodeAt={nextCodeAt}
        startUrl={askUrl(config.viewerUrl(), label)}
        now={now}
      />
    </>
  );
}

const Sent = ({ email }: Pick<AskState, 'email'>) => (
  <>
    <p>
      If a presentation is at the address that you opened, its owner gets your request. When the owner allows it, a link
      comes to <bdi>{email}</bdi>.
    </p>
    <p class="quiet">You hear nothing when the owner declines, or does not answer within 7 days.</p>
  </>
);
