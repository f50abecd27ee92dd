import { randomUUID } from 'node:crypto';
import { navigation, openOnOrigin } from './deck-origin';
import { blob, page, sha256, type Account, type Deck, type World } from './world';

/** What a call may use: an owner and a deck that no other call uses. */
interface Given {
  world: World;
  owner: Account;
  deck: Deck;
  id: { presentationId: string };
  /** An address that no other call uses. */
  email: string;
}

interface PreparedCall {
  input?: object;
  key?: string;
  /** The address, for endpoints that do not answer JSON. */
  url?: string;
  /** Sends the call, for an endpoint that has another host. */
  send?: () => Promise<{ status: number; text: string }>;
}

/** Prepares the ordinary call of an endpoint. It may be repeated until it succeeds. */
type Prepare = (given: Given) => PreparedCall | Promise<PreparedCall>;

/** Whether an endpoint writes documents on which its answer depends. */
interface EveryCall {
  prepare: Prepare;
  writes: boolean;
}

const withKey =
  (input: (given: Given) => object): Prepare =>
  (given) => ({ input: input(given), key: given.owner.key });
const reads = (prepare: Prepare): EveryCall => ({ prepare, writes: false });
const writes = (prepare: Prepare): EveryCall => ({ prepare, writes: true });
const ofDeck = (fields: object = {}) => withKey(({ id }) => ({ ...id, ...fields }));
const ofListing =
  (fields: object = {}): Prepare =>
  async ({ world }) => {
    const publisher = await world.aPublisher();
    return { input: { slug: (await world.aListing(publisher)).slug, ...fields }, key: publisher.key };
  };
const ofSession =
  (input: object): Prepare =>
  async ({ world, owner }) => ({
    input,
    key: await world.aDashboardSession(owner),
  });
const withCode =
  (fields: object, isNew = false): Prepare =>
  async ({ world, owner, email }) => {
    const address = isNew ? email : owner.email;
    await world.call(isNew ? 'cliRequestSignupOtp' : 'cliRequestLoginOtp', { email: address });
    return { input: { email: address, code: await world.mailedCode(address), ...fields } };
  };
const at =
  (path: (given: Given & { slug: string }) => string): Prepare =>
  async (given) => {
    const { slug } = await given.world.aListing(await given.world.aPublisher());
    return { url: `${given.world.cloud.baseUrl}/${path({ ...given, slug })}` };
  };
const entry = page();
const file = blob(40);
const form = (fields: Record<string, string>, part: string) => {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  made.append(part, new Blob([new Uint8Array(file.bytes)], { type: file.contentType }), 'file');
  return made;
};
const hash = sha256(file.bytes);

/** A small logo. */
const svg = { data: 'PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=', contentType: 'image/svg+xml' };

/** The ordinary call of each endpoint, by the endpoint's name. */
export const everyCall: Record<string, EveryCall> = {
  getServiceInfo: reads(() => ({})),
  getClientAddress: reads(() => ({})),
  cliRequestSignupOtp: writes(({ email }) => ({ input: { email } })),
  cliRequestLoginOtp: writes(({ owner }) => ({ input: { email: owner.email } })),
  cliCompleteSignup: writes(withCode({ user: { firstName: 'Ada' } }, true)),
  cliCompleteLogin: writes(withCode({})),
  completeDashboardSignup: writes(withCode({ user: { firstName: 'Ada' } }, true)),
  getAccount: reads(withKey(() => ({}))),
  createDashboardSession: writes(withCode({})),
  endDashboardSession: writes(ofSession({})),
  verifyApiKey: reads(withKey(() => ({}))),
  listApiKeys: reads(withKey(() => ({}))),
  createApiKey: writes(ofSession({ name: 'x', scopes: ['presentations:read'] })),
  revokeApiKey: writes(async ({ world, owner }) => ({
    input: { keyId: owner.keyId },
    key: await world.aDashboardSession(owner),
  })),
  updateProfile: writes(ofSession({ firstName: 'Grace' })),
  updateOrganization: writes(ofSession({ name: 'Engines', logo: svg })),
  getOrganizationLogo: reads(async ({ world, owner }) => {
    await world.call('updateOrganization', { logo: svg }, { key: await world.aDashboardSession(owner) });
    return { input: {}, key: owner.key };
  }),
  getUsage: reads(withKey(() => ({}))),
  precheckAssets: writes(withKey(() => ({ hashes: [hash] }))),
  uploadPresentationAsset: writes(withKey(({ id }) => form({ ...id, sha256: hash, contentType: 'text/css' }, 'file'))),
  uploadPresentationAssets: writes(withKey(({ id }) => form(id, hash))),
  createAssetUploads: writes(ofDeck({ assets: [{ sha256: hash, size: 40, contentType: 'video/mp4' }] })),
  completeAssetUploads: reads(ofDeck({ sha256s: [hash] })),
  commitPresentationVersion: writes(
    ofDeck({
      entryPath: entry.path,
      files: [
        { path: entry.path, sha256: sha256(entry.bytes), size: entry.bytes.length, contentType: entry.contentType },
      ],
    }),
  ),
  listMyPresentations: reads(withKey(() => ({}))),
  getSharedPresentationInfo: reads(ofDeck()),
  listPresentationVersions: reads(ofDeck()),
  getPresentationVersion: reads(ofDeck({ version: '1' })),
  diffPresentationVersions: reads(ofDeck({ from: '1', to: '1' })),
  downloadPresentationAsset: reads(ofDeck({ sha256: sha256(entry.bytes) })),
  restorePresentationVersion: writes(ofDeck({ version: 1 })),
  renamePresentation: writes(ofDeck({ title: 'Other' })),
  setPresentationExpiry: writes(ofDeck({ expiresAt: null })),
  deletePresentation: writes(ofDeck()),
  addPresentationToken: writes(ofDeck({ tokenName: 'x' })),
  setTokenVersionMode: writes(
    withKey(({ id, deck }) => ({ ...id, tokenId: deck.tokenId, versionMode: { type: 'pinned', version: 1 } })),
  ),
  renameShareToken: writes(withKey(({ id, deck }) => ({ ...id, tokenId: deck.tokenId, name: 'x' }))),
  unsharePresentation: writes(ofDeck({ all: true })),
  inviteCollaborator: writes(withKey(({ id, email }) => ({ ...id, email }))),
  uninviteCollaborator: writes(async ({ world, owner, id, email }) => {
    await world.call('inviteCollaborator', { ...id, email }, { key: owner.key });
    return { input: { ...id, email }, key: owner.key };
  }),
  listCollaborators: reads(ofDeck()),
  leavePresentation: writes(async ({ world, deck, id }) => {
    const dev = await world.anOwner();
    await world.addMember(deck, dev);
    return { input: id, key: dev.key };
  }),
  previewShareEmail: reads(ofDeck()),
  sharePresentationViaEmail: writes(withKey(({ id, email }) => ({ ...id, emails: [email] }))),
  listEmailSends: reads(ofDeck()),
  mailPage: reads(async ({ world, owner, id, email }) => {
    const address = `of-the-page-${email}`;
    await world.call('sharePresentationViaEmail', { ...id, emails: [address] }, { key: owner.key });
    const [mail] = await world.mails(address);
    return { url: `${world.cloud.baseUrl}/mailPage${/\/mail\/[\w-]+/.exec(mail!.text)![0]}` };
  }),
  publishMarketplaceListing: writes(async ({ world }) => {
    const publisher = await world.aPublisher();
    const { presentationId } = await world.aDeck(publisher);
    return { input: { presentationId, kind: 'plan', description: 'x' }, key: publisher.key };
  }),
  updateMarketplaceListing: writes(ofListing({ title: 'Other' })),
  listMarketplaceListings: reads(() => ({ input: { limit: '1' } })),
  getMarketplaceListing: reads(ofListing()),
  listMarketplaceRemixes: reads(ofListing()),
  starMarketplaceListing: writes(ofListing()),
  unstarMarketplaceListing: reads(ofListing()),
  recordMarketplaceView: writes(ofListing()),
  recordMarketplaceRemix: writes(ofListing()),
  reportMarketplaceListing: writes(ofListing({ reason: 'spam' })),
  remixMarketplaceListing: writes(async (given) => ({ ...(await ofListing()(given)), key: given.owner.key })),
  getSharedPresentation: reads(at(({ deck, id }) => `getSharedPresentation/${id.presentationId}/_t/${deck.token}/`)),
  deckSite: reads(async ({ world, deck }) => {
    const { presentationId, token } = deck;
    const link = await openOnOrigin(`${world.cloud.hostingUrl}/share/${presentationId}?token=${token}`);
    return { send: () => link.get('/', { headers: navigation }) };
  }),
  sharePage: reads(at(({ deck, id }) => `sharePage/share/${id.presentationId}?token=${deck.token}`)),
  getMarketplaceListingContent: reads(at(({ slug }) => `getMarketplaceListingContent/${slug}/`)),
  marketplacePage: reads(at(() => 'marketplacePage/marketplace')),
  listingPage: reads(at(({ slug }) => `listingPage/marketplace/${slug}`)),
  oembed: reads(
    at(({ world, slug }) => `oembed?url=${encodeURIComponent(`${world.cloud.marketplaceUrl}/marketplace/${slug}`)}`),
  ),
  marketplaceFeed: reads(at(() => 'marketplaceFeed')),
  sitemap: reads(at(() => 'sitemap/sitemap.xml')),
  reportPage: writes(async ({ world }) => {
    const { slug } = await world.aListing(await world.aPublisher());
    return { input: new URLSearchParams({ slug, reason: 'spam' }) };
  }),
};

/** A call with all that it needs, ready to be sent as often as a test likes. */
export interface ReadyCall {
  name: string;
  writes: boolean;
  given: Given;
  /** The secrets that no answer of a failed call and no log line may hold. */
  secrets: string[];
  send: () => Promise<{ status: number; text: string }>;
}

export async function prepareCall(world: World, name: string, isGet: boolean): Promise<ReadyCall> {
  const known = everyCall[name];
  if (!known) throw new Error(`test/support/every-call.ts has no call of ${name}.`);
  const owner = await world.anOwner();
  const deck = await world.aDeck(owner, [entry]);
  const { presentationId } = deck;
  const given = { world, owner, deck, id: { presentationId }, email: `call-${randomUUID()}@example.org` };
  const call = await known.prepare(given);
  const url = new URL(call.url ?? `${world.cloud.baseUrl}/${name}`);
  const isForm = call.input instanceof FormData || call.input instanceof URLSearchParams;
  if (isGet && call.input && !isForm) {
    for (const [field, value] of Object.entries(call.input)) url.searchParams.set(field, String(value));
  }
  const send = async () => {
    if (call.send) return call.send();
    const answer = await fetch(url, {
      method: isGet ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        'x-forwarded-for': owner.userId,
        ...(call.key && { authorization: `Bearer ${call.key}` }),
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      ...(!isGet && { body: isForm ? (call.input as FormData) : JSON.stringify(call.input) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const secrets = [owner.key, deck.token, call.key ?? owner.key];
  return { name, writes: known.writes, given, secrets, send };
}
