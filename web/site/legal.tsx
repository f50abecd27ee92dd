import type { ComponentChildren } from 'preact';
import { storedData } from './stored-data';

/** Who runs the service: settings of the deployment (functions/.env.example). */
export interface Operator {
  name?: string | undefined;
  address?: string | undefined;
  /** An email address or the address of a page. */
  contact?: string | undefined;
  country?: string | undefined;
}

interface LegalProps {
  operator: Operator;
  /** The Google Cloud region of the service. Undefined on this computer. */
  region: string | undefined;
}

/** Whether the operator has filled in what the page must say. */
const isComplete = ({ name, address, contact, country }: Operator) => !!(name && address && contact && country);

const Unfilled = () => (
  <p role="note">
    <strong>The operator of this service has not filled in this page.</strong> It therefore does not say who is
    responsible for the service.
  </p>
);

const Contact = ({ contact }: { contact: string }) => (
  <a href={contact.includes('@') && !contact.includes('/') ? `mailto:${contact}` : contact}>{contact}</a>
);

/** Who runs the service, as far as the settings say it. */
const OperatorLines = ({ operator: { name, address, contact, country } }: Pick<LegalProps, 'operator'>) => (
  <>
    {name && <p>{[name, address, country].filter(Boolean).join(', ')}</p>}
    {contact && (
      <p>
        Contact: <Contact contact={contact} />
      </p>
    )}
  </>
);

const Page = ({ title, operator, children }: { title: string; operator: Operator; children: ComponentChildren }) => (
  <main id="content" class="legal">
    <article>
      <h1>{title}</h1>
      {!isComplete(operator) && <Unfilled />}
      <OperatorLines operator={operator} />
      {children}
    </article>
  </main>
);

/** What the service stores about people, and for whom. */
export const Privacy = ({ operator, region }: LegalProps) => (
  <Page title="Privacy" operator={operator}>
    <p>
      This page says which data about people this service stores, why, and for how long. The table is made from the code
      of the service.
    </p>
    <h2>When you open a deck</h2>
    <p>
      You need no account. The owner of the deck sees that somebody visited it through the link that you used: when,
      which slides for how long, the kind of the device, the language of the browser, and the site that led to the link.
      The owner sees your address only if the link asked for it or was mailed to you. Your network address is not
      stored. If your browser asks not to be tracked (Global Privacy Control or Do Not Track), or the owner has chosen
      it, the service only counts the opening. A deck is made by its author: its scripts may send data to other places,
      which this service neither sees nor controls.
    </p>
    <h2>When you have an account</h2>
    <p>
      The service needs your email address to let you sign in, and your name to show others whose decks they see. There
      is no password, no advertising and no tracking by third parties. The pages of this site load nothing from other
      sites.
    </p>
    <h2>What is stored in your browser</h2>
    <p>
      The dashboard keeps your sign-in, what you typed, and a mark that this device has signed in before. An opened deck
      has a cookie that lets your browser show it for 30 days, and may store data of its own. The service sets no other
      cookie.
    </p>
    <h2>What is stored on the service</h2>
    <div class="table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            <th>What</th>
            <th>How long</th>
          </tr>
        </thead>
        <tbody>
          {Object.values(storedData).map(
            (row) =>
              row.what !== null && (
                <tr>
                  <td>{row.what}</td>
                  <td>{row.until}</td>
                </tr>
              ),
          )}
        </tbody>
      </table>
    </div>
    <p>
      Backups keep deleted data for some days more. The log has the time, the function and the outcome of each request,
      and no addresses of decks.
    </p>
    <h2>Who else gets data</h2>
    <ul>
      <li>Google, whose cloud runs the service and stores its data{region && <> in the region {region}</>}.</li>
      <li>Resend, which delivers the mails of the service.</li>
    </ul>
    <h2>Your choices</h2>
    <ul>
      <li>Every mail that you did not ask for has links to stop such mails and to report it.</li>
      <li>You can delete each of your decks, with its links, its records of mails and its files.</li>
      <li>
        On the page <a href="/dashboard/settings">Settings</a> you change your name and your address, export everything
        that your account has, and delete it.
      </li>
      <li>The owner of a deck can forget you as its reader.</li>
      <li>To see, correct or delete other data about you, write to the operator.</li>
    </ul>
  </Page>
);

/** The rules for using the service. */
export const Terms = ({ operator }: LegalProps) => (
  <Page title="Terms" operator={operator}>
    <p>These terms apply when you use this service. They are between you and its operator.</p>
    <h2>Your decks are yours</h2>
    <p>
      You keep all rights to what you upload. You allow the operator to store it and to show it to those to whom you
      give a link. When you publish a deck in the marketplace, everybody may see it and make a deck of their own from
      it; that permission stays when you unlist or delete the listing.
    </p>
    <h2>What you may not do</h2>
    <ul>
      <li>Upload what you have no right to share, or what is illegal.</li>
      <li>Upload malware, or pages that pretend to be of somebody else or that collect passwords.</li>
      <li>Send mails to people who do not expect them.</li>
      <li>Disturb the service, or go around its limits.</li>
    </ul>
    <p>
      The operator may close a deck, a listing or an account that breaks these rules, and says why. You can report a
      listing on its page, and a mail by a link in it.
    </p>
    <h2>Links are secrets</h2>
    <p>Whoever has a link can open the deck. Keep links to those for whom they are, and revoke a link that got lost.</p>
    <h2>No guarantee</h2>
    <p>
      The service is provided as it is. Keep a copy of your decks. Rights that the law gives you and that cannot be
      given up stay as they are.
    </p>
    {operator.country && (
      <>
        <h2>Law</h2>
        <p>The law of the operator’s country applies: {operator.country}.</p>
      </>
    )}
  </Page>
);
