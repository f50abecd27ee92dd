import { serviceSecrets } from '../../functions/src/config';
import { example } from '../../functions/src/contract/example';
import { newLinkGrant, writeGrant } from '../../functions/src/values/deck-grants';
import { DEFAULT_BASE_URL } from '../../local/ports';
import { askFor } from './ask';
import { askForExport } from './exports';
import { startLive } from './live';
import { showSlides, slide } from './pictures';
import { runJob } from './jobs';
import { deliveriesOf, makeWebhook } from './webhooks';
import { page, succeed, type Account, type Deck, type World } from './world';

/** The file `index.html` of all examples: `example.hash` is the hash of these bytes. */
export const ENTRY = { ...page(), bytes: Buffer.from('test') };
/** The code of a mail, and the addresses of recipients, as the examples name them. */
export const CODE = '042137';
const RECIPIENT = 'grace@example.com';
const OTHER_RECIPIENT = 'alan@example.com';
/** The site that the examples name. */
const EXAMPLE_SITE = 'https://decks.example.com';
/** The size of the file of the examples. */
export const EXAMPLE_SIZE = '1834';
/** The key of a page of mails has another length than the other secrets. */
const GRANT = /x{64,}/g;

/** The ticket of a page with a deck in a frame, or of a live session. */
const TICKET = 'eyJ…';

/** An account with a deck of two versions, and with all that an example names. No other example uses them. */
export interface Scene {
  owner: Account;
  deck: Deck;
  /** The address of a new account, or of the first recipient of a mail. */
  email: string;
  /** Who makes the call: the key of the owner, or of a dev who may leave the deck. */
  key: string;
  session: string;
  /** The example with the values of this scene in place of those of the text. */
  real: (example: string) => string;
}

type Made = { world: World; owner: Account; deck: Deck; email: string; session: string };

/** Gives the newest version of the deck of a scene the picture of a slide. */
async function withSlides(owner: Account, { presentationId }: Deck): Promise<Record<string, string>> {
  await showSlides(owner, presentationId, 2, [{ key: 'agenda', bytes: slide(10) }]);
  return {};
}

/** A remix of the owner in its second version. Its source has added a file since then. */
async function withRemix({ world, owner }: Pick<Made, 'world' | 'owner'>): Promise<Record<string, string>> {
  const author = await world.aPublisher('pro');
  const { slug, presentationId: sourceId } = await world.aListing(author, {}, await world.aDeck(author, [ENTRY]));
  const remix = await succeed(world.call<Deck>('remixMarketplaceListing', { slug }, { key: owner.key }));
  const change = async (by: Account, presentationId: string, path: string) => {
    const files = [ENTRY, { path, bytes: Buffer.from(path), contentType: 'text/css; charset=utf-8' }];
    await world.uploadAll(by, { presentationId }, files);
    await succeed(world.commit(by, { presentationId }, files));
  };
  await change(owner, remix.presentationId, 'style.css');
  await change(author, sourceId, 'notes.css');
  await succeed(world.call('updateMarketplaceListing', { slug, version: 2 }, { key: author.key }));
  return { [example.deckId]: remix.presentationId };
}

/** Gives the organization of a scene a webhook, to which nothing listens. */
async function withWebhook({ world, owner }: Pick<Made, 'world' | 'owner'>): Promise<Record<string, string>> {
  const { webhookId } = await makeWebhook(world, owner, { url: 'http://127.0.0.1:9/', events: ['webhook.created'] });
  return { [example.webhookId]: webhookId };
}

/** The same, with the delivery of an event that waits. */
async function withDelivery({ world, owner }: Pick<Made, 'world' | 'owner'>): Promise<Record<string, string>> {
  const values = await withWebhook({ world, owner });
  await runJob('sweepWebhooks');
  const [delivery] = await deliveriesOf(world, owner, values[example.webhookId]!);
  return { ...values, [example.deliveryId]: delivery!.deliveryId };
}

/** Gives the deck of a scene a live session, and the example the ticket of its presenter. */
async function withLive({ owner, deck }: Pick<Made, 'owner' | 'deck'>): Promise<Record<string, string>> {
  const { presenter } = await startLive(owner, deck);
  return { [TICKET]: presenter, [encodeURIComponent(TICKET)]: presenter };
}

/** Asks the readers of the link of a scene for the passcode of the example. */
async function withPasscode({ world, owner, deck }: Pick<Made, 'world' | 'owner' | 'deck'>) {
  const { presentationId, tokenId } = deck;
  const input = { presentationId, tokenId, passcode: example.passcode };
  await succeed(world.call('updateShareToken', input, { key: owner.key }));
  return {};
}

/** What an example needs that its text does not tell. Returns values of the text, or another key. */
const more: Partial<Record<string, (made: Made) => Promise<Record<string, string>>>> = {
  getOrganizationLogo: async ({ world, session }) => {
    const data = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>').toString('base64');
    await succeed(world.call('updateOrganization', { logo: { data, contentType: 'image/svg+xml' } }, { key: session }));
    return {};
  },
  getInvitation: async ({ world, owner, deck: { presentationId }, email }) => {
    await succeed(world.call('inviteCollaborator', { presentationId, email }, { key: owner.key }));
    const [mail] = await world.mails(email);
    return { grant: /invitation=([\w-]+)/.exec(mail!.text)![1]! };
  },
  uninviteCollaborator: async ({ world, owner, deck: { presentationId }, email }) => {
    await succeed(world.call('inviteCollaborator', { presentationId, email }, { key: owner.key }));
    return {};
  },
  // A key may only revoke itself, and a call that failed may have done so: its next call would have no key.
  revokeApiKey: ({ session }) => Promise.resolve({ key: session }),
  listSlidePictures: async ({ owner, deck }) => withSlides(owner, deck),
  getSlidePicture: async ({ owner, deck }) => withSlides(owner, deck),
  getListingPicture: async ({ owner, deck }) => withSlides(owner, deck),
  leavePresentation: async ({ world, deck }) => {
    const dev = await world.anOwner();
    await world.addMember(deck, dev);
    return { key: dev.key };
  },
  shortLink: async ({ world, owner, deck: { presentationId, tokenId } }) => {
    const input = { presentationId, tokenId, short: true };
    const { shortUrl } = await succeed(world.call<{ shortUrl: string }>('updateShareToken', input, { key: owner.key }));
    return { [example.shortCode]: shortUrl.split('/s/')[1]! };
  },
  answerAccessRequest: async ({ world, owner, deck, session }) => {
    await askFor(deck, `asker-${owner.keyId}@example.org`);
    type List = { requests: { requestId: string }[] };
    const { requests } = await succeed(world.call<List>('listAccessRequests', undefined, { key: session }));
    return { [example.accessRequestId]: requests[0]!.requestId };
  },
  recordView: ({ deck }) =>
    Promise.resolve({ [TICKET]: writeGrant(serviceSecrets.current(), 'seen', newLinkGrant(deck), new Date()) }),
  openShareLink: withPasscode,
  openSharePage: withPasscode,
  moveLiveSession: withLive,
  followLiveSession: withLive,
  compareRemix: withRemix,
  updateRemix: withRemix,
  getAccountExport: async ({ owner }) => {
    await askForExport(owner);
    return {};
  },
  updateWebhook: withWebhook,
  rotateWebhookSecret: withWebhook,
  deleteWebhook: withWebhook,
  sendTestEvent: withWebhook,
  redeliverWebhook: withDelivery,
  listWebhookDeliveries: withDelivery,
  changeEmail: async ({ world, owner, session }) => {
    const newEmail = `new-${owner.keyId}@example.org`;
    const input = { purpose: 'change-email', newEmail };
    await succeed(world.call('requestAccountCode', input, { key: session }));
    const [code, newCode] = [await world.mailedCode(owner.email), await world.mailedCode(newEmail)];
    return { [CODE]: code, [example.newCode]: newCode, [example.newEmail]: newEmail };
  },
  codePage: async ({ world, owner: { email } }) => {
    await succeed(world.call('cliRequestLoginOtp', { email }));
    return { grant: await world.codeLink(email) };
  },
  mailPage: async ({ world, owner, deck: { presentationId } }) => {
    const { token } = await aSharedMail(world, owner, presentationId);
    return { grant: token };
  },
  receiveMailEvents: async ({ world, owner, deck: { presentationId } }) => {
    const { id, to, token } = await aSharedMail(world, owner, presentationId);
    return { [example.mailId]: id, [RECIPIENT]: to, ['x'.repeat(86)]: token };
  },
};

/** The calls that need a code for what they do. */
const accountPurposes: Record<string, string> = { exportAccount: 'export', deleteAccount: 'delete' };

async function aSharedMail(world: World, owner: Account, presentationId: string) {
  const to = `page-${owner.keyId}@example.org`;
  await succeed(world.call('sharePresentationViaEmail', { presentationId, emails: [to] }, { key: owner.key }));
  const [mail] = await world.mails(to);
  return { id: mail!.id, to, token: /\/mail\/([\w-]+)/.exec(mail!.text)![1]! };
}

/**
 * The scene of the example of a function. `text` is the example: what it names is made. A name of no function gives an
 * account and a deck.
 */
export async function sceneOf(world: World, name: string, text = ''): Promise<Scene> {
  const owner = await world.aPublisher('pro');
  const [deck, session] = [await world.aDeck(owner, [ENTRY]), await world.aDashboardSession(owner)];
  const { presentationId } = deck;
  await succeed(world.commit(owner, { presentationId }, [ENTRY]));
  const isSignup = /Signup/.test(name);
  const email = `to-${owner.keyId}@example.org`;
  const { key = owner.key, grant = '', ...own } = (await more[name]?.({ world, owner, deck, email, session })) ?? {};
  const values: Record<string, string> = {
    [DEFAULT_BASE_URL]: world.cloud.baseUrl,
    [EXAMPLE_SITE]: world.cloud.marketplaceUrl,
    [encodeURIComponent(EXAMPLE_SITE)]: encodeURIComponent(world.cloud.marketplaceUrl),
    [example.deckId]: presentationId,
    [example.tokenId]: deck.tokenId,
    [example.token]: deck.token,
    [example.keyId]: owner.keyId,
    [RECIPIENT]: email,
    [OTHER_RECIPIENT]: `other-${email}`,
    [EXAMPLE_SIZE]: String(ENTRY.bytes.length),
    ...own,
  };
  if (text) values[example.email] = isSignup ? email : owner.email;
  if (text.includes(example.slug)) values[example.slug] = (await world.aListing(owner, {}, deck)).slug;
  if (text.includes(example.sessionId)) {
    const { sessionId } = await world.aSession(owner);
    if (text.includes('entryPath')) await world.uploadAll(owner, { sessionId }, [ENTRY]);
    values[example.sessionId] = sessionId;
  }
  if (text.includes(CODE) && !values[CODE]) {
    const to = isSignup ? email : owner.email;
    const purpose = accountPurposes[name];
    if (purpose) await succeed(world.call('requestAccountCode', { purpose }, { key: session }));
    else await succeed(world.call(isSignup ? 'cliRequestSignupOtp' : 'cliRequestLoginOtp', { email: to }));
    values[CODE] = await world.mailedCode(to);
  }
  const real = (shown: string) =>
    Object.entries(values).reduce((made, [from, to]) => made.replaceAll(from, to), shown.replace(GRANT, grant));
  return { owner, deck, email, key, session, real };
}
