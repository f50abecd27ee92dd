import { config } from '../config';
import { labelOfToken, originOf } from '../values/deck-origins';
import { gateUrl } from '../values/gate-tokens';
import type { GateState } from '../values/page-states';
import { CodeForms, EmailField, gateFramePolicy, HiddenFields, renderGate, Wrong, wrongField } from './gate-frame';

/** What the gate of a link shows. Nothing of it is about the deck. */
interface GatePage {
  presentationId: string;
  /** What the form sends to name the link. */
  link: { token: string } | { again: string };
  organization: { name: string; brandPrimary: string | null; logoUrl: string | null };
  asksPasscode: boolean;
  asksAddress: boolean;
  isCounted: boolean;
  /** Whether visits of this reader are recorded. */
  isTracked: boolean;
  state: GateState | undefined;
  /** The state as it stands in the address. */
  sealed: string | undefined;
  /** The mark of an own load. */
  own: string | undefined;
  /** The host of the page that led to the link. */
  from: string | undefined;
  now: Date;
}

/**
 * The deck opens at the slide of the address: browsers keep its fragment through redirects. `script` says that a script
 * ran: without scripts, the opening itself is a view.
 */
const script = `for (const form of document.forms) { form.action += location.hash; form.elements.script.value = 1 }`;

/** The Content-Security-Policy of the page. Its forms lead to the function, back to the page, and to the deck. */
export function gatePolicy(tokenId: string, { brandPrimary }: GatePage['organization']): string {
  const deckOrigin = config.deckOrigin();
  const targets = [
    new URL(config.baseUrl()).origin,
    new URL(config.viewerUrl()).origin,
    ...(deckOrigin === undefined ? [] : [originOf(deckOrigin, labelOfToken(tokenId))]),
  ];
  return gateFramePolicy({ brandPrimary, script, targets });
}

/** The page at which a link asks who opens it. It works without scripts. */
export function gatePage(page: GatePage): string {
  const { organization, state } = page;
  const isCode = state !== undefined && state.needs.length === 1 && state.needs[0] === 'code';
  const title = isCode ? 'Enter your code' : 'Open the presentation';
  return renderGate({
    title,
    brandPrimary: organization.brandPrimary,
    script,
    children: (
      <>
        {organization.logoUrl !== null && <img class="logo" src={organization.logoUrl} alt="" />}
        <h1>{title}</h1>
        <p>
          <bdi lang="">{organization.name}</bdi> shares a presentation with you.
        </p>
        {isCode ? <CodeStep {...page} state={state} /> : <FirstForm {...page} />}
        <p class="quiet">{whatIsSeen(page)}</p>
      </>
    ),
  });
}

const whatIsSeen = ({ asksAddress, isCounted, isTracked }: GatePage) =>
  (isTracked
    ? `The sender sees when the presentation was opened${asksAddress ? ', by which address' : ''}, and how long each ` +
      'slide was looked at.'
    : 'The sender sees how often the presentation was opened.') +
  (isCounted ? ' The link opens a limited number of times.' : '');

/** The fields that each form sends. */
const fieldsOf = ({ presentationId, link, own, from, sealed }: GatePage) => ({
  presentationId,
  ...link,
  own,
  from,
  gate: sealed,
  script: '',
});

const action = () => `${config.baseUrl()}/openSharePage`;

function FirstForm(page: GatePage) {
  const { asksPasscode, asksAddress, state } = page;
  const isProven = state?.provenPasscode !== undefined;
  const isWrong = state?.wrong === 'passcode';
  return (
    <form method="post" action={action()}>
      <HiddenFields fields={fieldsOf(page)} />
      {isWrong && <Wrong>This passcode is wrong. Check it and try again.</Wrong>}
      {asksPasscode && !isProven && (
        <>
          <label for="passcode">Passcode</label>
          <input
            id="passcode"
            name="passcode"
            type="password"
            autocomplete="off"
            required
            autofocus
            {...(isWrong && wrongField)}
          />
        </>
      )}
      {asksAddress && <EmailField value={state?.email} isFirst={!asksPasscode || isProven} />}
      <button class="first">{asksAddress ? 'Continue' : 'Open the presentation'}</button>
    </form>
  );
}

function CodeStep(page: GatePage & { state: GateState }) {
  const { state, link, presentationId, now } = page;
  const { email = '', wrong, attemptsRemaining = 0, nextCodeAt } = state;
  return (
    <>
      <p>
        If this link is meant for <bdi>{email}</bdi>, a code is on its way to that address. It works for 10 minutes.
      </p>
      <CodeForms
        action={action()}
        fields={fieldsOf(page)}
        email={email}
        button="Open the presentation"
        isWrong={wrong === 'code'}
        attemptsRemaining={attemptsRemaining}
        nextCodeAt={nextCodeAt}
        startUrl={gateUrl(config.viewerUrl(), presentationId, link)}
        now={now}
      />
    </>
  );
}
