import { randomUUID } from 'node:crypto';
import { blob, manifestRow, page, sha256, type Account, type World } from '../../support/world';
import type { Known } from './values';

const files = [page(), page('two', 'a/two.html'), { ...blob(5000), path: 'film.mp4', contentType: 'video/mp4' }];
const hashes = files.map(({ bytes }) => sha256(bytes));

/** The people of all requests. */
export interface People {
  owner: Account;
  dev: Account;
  known: Known;
}

export async function makePeople(world: World): Promise<People> {
  const [owner, dev, other] = [await world.aPublisher('pro'), await world.anOwner(), await world.anOwner()];
  const [session, ofOther] = [await world.aDashboardSession(owner), await world.aDashboardSession(other)];
  const wrong = [dev.key, other.key, await world.anAdmin(), session].map((key) => `Bearer ${key}`);
  const broken = ['', 'Bearer', 'Bearer x', `bearer  ${owner.key}`, 'Basic YTpi', `Bearer ${'x'.repeat(3000)}`];
  const known = { session: [session, ofOther], wrongKey: [...wrong, ...broken], keyId: [other.keyId, randomUUID()] };
  return { owner, dev, known };
}

/** Values for the fields of the requests of one endpoint, by their names. No other endpoint uses the same deck. */
export async function makeScene(
  world: World,
  people: People,
  endpoint: string,
): Promise<Known & { shareUrl: string[] }> {
  const { owner, dev } = people;
  const deck = await world.aDeck(owner, files);
  const { presentationId } = deck;
  await world.addMember(deck, dev);
  const { slug } = await world.aListing(owner, {}, await world.aDeck(owner, files));
  const { sessionId } = await world.aSession(owner);
  return {
    ...people.known,
    ...(await ofEndpoint(world, endpoint, presentationId, people)),
    shareUrl: [`${world.cloud.hostingUrl}/share/${presentationId}?token=${deck.token}`],
    presentationId: [presentationId],
    tokenId: [deck.tokenId],
    slug: [slug],
    url: [`${world.cloud.marketplaceUrl}/marketplace/${slug}`],
    part: [1],
    sessionId: [sessionId],
    sha256: hashes,
    sha256s: [hashes, hashes.slice(1)],
    hashes: [hashes],
    assetPath: [...files.map(({ path }) => path), '', 'a', 'a/', 'missing.html'],
    version: [1, 2],
    from: [1],
    to: [1, 2],
    limit: [1, 50],
    entryPath: ['index.html'],
    files: [files.map(manifestRow)],
    ...(endpoint === 'mailPage' ? {} : { token: [deck.token] }),
  };
}

/** The key, and the values that only one endpoint accepts. */
async function ofEndpoint(world: World, endpoint: string, presentationId: string, people: People): Promise<Known> {
  const { owner, dev } = people;
  const key = [endpoint === 'leavePresentation' ? dev.key : owner.key];
  const email = `${endpoint}-${randomUUID()}@example.org`;
  if (/^(cliCompleteSignup|completeDashboardSignup)$/.test(endpoint)) {
    await world.call('cliRequestSignupOtp', { email });
    return { key, email: [email], code: [await world.mailedCode(email)] };
  }
  if (/^(cliCompleteLogin|createDashboardSession)$/.test(endpoint)) {
    const account = await world.anOwner();
    await world.call('cliRequestLoginOtp', { email: account.email });
    return { key, email: [account.email], code: [await world.mailedCode(account.email)] };
  }
  if (endpoint === 'getOrganizationLogo') {
    const data = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
    const options = { key: people.known['session']![0] as string };
    await world.call('updateOrganization', { logo: { data, contentType: 'image/svg+xml' } }, options);
  }
  if (endpoint === 'mailPage') {
    await world.call('sharePresentationViaEmail', { presentationId, emails: [email] }, { key: owner.key });
    const [mail] = await world.mails(email);
    return { key, token: [/\/mail\/([\w-]+)/.exec(mail!.text)![1]!] };
  }
  return { key, email: endpoint === 'uninviteCollaborator' ? [dev.email] : [email, dev.email, owner.email] };
}
