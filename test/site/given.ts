import { example } from '../../functions/src/contract/example';
import { DEFAULT_BASE_URL } from '../../local/ports';
import { page, succeed, type Account, type World } from '../support/world';

/** What an example of a page needs to be sent: its environment, and the real values in place of those of the text. */
export interface Given {
  owner: Account;
  env: Record<string, string>;
  real: (code: string) => string;
}

/** The file `index.html` of all examples: `example.hash` is the hash of these bytes. */
export const ENTRY = { ...page(), bytes: Buffer.from('test') };
/** The code of a mail, and the address of a recipient, as the texts name them. */
export const CODE = '042137';
const RECIPIENT = 'grace@example.com';
/** The site that the examples name. */
const EXAMPLE_SITE = 'https://decks.example.com';
/** The key of a page of mails has another length than the other secrets. */
const GRANT = /x{64,}/g;

interface Made {
  world: World;
  owner: Account;
  id: { presentationId: string };
}

/** What an endpoint needs beside an account and a deck with 4 versions: values of its example, or another key. */
type More = (made: Made) => Promise<Record<string, string>>;

const codeFor =
  (call: string, isNew = false): More =>
  async ({ world, owner }) => {
    const email = isNew ? `new-${owner.keyId}@example.org` : owner.email;
    await succeed(world.call(call, { email }));
    return { [example.email]: email, [CODE]: await world.mailedCode(email) };
  };
const emailOf =
  (isNew: boolean): More =>
  async ({ owner }) => ({ [example.email]: isNew ? `new-${owner.keyId}@example.org` : owner.email });
const aSession: More = async ({ world, owner }) => ({ [example.sessionId]: (await world.aSession(owner)).sessionId });
const aListing: More = async ({ world, owner, id }) => ({
  [example.slug]: (await world.aListing(owner, {}, id)).slug,
});

const more: Partial<Record<string, More>> = {
  cliRequestSignupOtp: emailOf(true),
  cliCompleteSignup: codeFor('cliRequestSignupOtp', true),
  cliRequestLoginOtp: emailOf(false),
  cliCompleteLogin: codeFor('cliRequestLoginOtp'),
  createDashboardSession: codeFor('cliRequestLoginOtp'),
  completeDashboardSignup: codeFor('cliRequestSignupOtp', true),
  getOrganizationLogo: async ({ world, owner }) => {
    const data = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
    const key = await world.aDashboardSession(owner);
    await succeed(world.call('updateOrganization', { logo: { data, contentType: 'image/svg+xml' } }, { key }));
    return {};
  },
  oembed: async (made) => {
    const { marketplaceUrl } = made.world.cloud;
    return { ...(await aListing(made)), [encodeURIComponent(EXAMPLE_SITE)]: encodeURIComponent(marketplaceUrl) };
  },
  uploadPresentationAsset: aSession,
  uploadPresentationAssets: aSession,
  commitPresentationVersion: async ({ world, owner }) => {
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [ENTRY]);
    return { [example.sessionId]: sessionId, '1834': String(ENTRY.bytes.length) };
  },
  uninviteCollaborator: async ({ world, owner, id }) => {
    await succeed(world.call('inviteCollaborator', { ...id, email: RECIPIENT }, { key: owner.key }));
    return {};
  },
  leavePresentation: async ({ world, id }) => {
    const dev = await world.anOwner();
    await world.addMember(id, dev);
    return { API_KEY: dev.key };
  },
  mailPage: async ({ world, owner, id }) => {
    const email = `to-${owner.keyId}@example.org`;
    await succeed(world.call('sharePresentationViaEmail', { ...id, emails: [email] }, { key: owner.key }));
    const [mail] = await world.mails(email);
    return { GRANT: /\/mail\/([\w-]+)/.exec(mail!.text)![1]! };
  },
  ...Object.fromEntries(
    [
      ...['updateMarketplaceListing', 'getMarketplaceListing', 'getMarketplaceListingContent'],
      ...['listMarketplaceRemixes', 'remixMarketplaceListing', 'starMarketplaceListing', 'unstarMarketplaceListing'],
      ...['recordMarketplaceView', 'recordMarketplaceRemix', 'reportMarketplaceListing', 'listingPage', 'reportPage'],
    ].map((name) => [name, aListing]),
  ),
};

/** An account and a deck with 4 versions of its own for the example of an endpoint, with what else it needs. */
export async function givenFor(world: World, name: string): Promise<Given> {
  const owner = await world.aPublisher('pro');
  const deck = await world.aDeck(owner, [ENTRY]);
  const id = { presentationId: deck.presentationId };
  for (const title of ['Two', 'Three', 'Four']) await succeed(world.commit(owner, { ...id, title }, [ENTRY]));
  const { API_KEY = owner.key, GRANT: grant = '', ...values } = (await more[name]?.({ world, owner, id })) ?? {};
  const all = {
    ...{ [DEFAULT_BASE_URL]: world.cloud.baseUrl, [example.deckId]: id.presentationId, [example.keyId]: owner.keyId },
    ...{ [example.tokenId]: deck.tokenId, [example.token]: deck.token, ...values },
  };
  const real = (code: string) =>
    Object.entries(all).reduce((made, [from, to]) => made.replaceAll(from, to), code.replace(GRANT, grant));
  return { owner, env: { API_KEY, SESSION_TOKEN: await world.aDashboardSession(owner) }, real };
}
