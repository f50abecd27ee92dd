import type { Account } from '../support/world';
import { page } from '../support/world';
import type { Deck } from '../support/stored';
import { describeInBrowser } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();

const button = (name: string | RegExp) => stage.page.getByRole('button', { name });
const toast = (text: string | RegExp) => stage.page.locator('.toast').filter({ hasText: text });
const dialog = () => stage.page.getByRole('dialog');
const call = (name: string, input: object, { key }: Account = stage.owner) => stage.world.call(name, input, { key });
const read = async <T>(name: string, query: Record<string, string>) =>
  (await stage.world.call<T>(name, undefined, { key: stage.owner.key, query, method: 'GET' })).data;
const info = ({ presentationId }: Deck) =>
  read<{ expiresAt: string | null; version: number; listing: { slug: string } | null }>('getSharedPresentationInfo', {
    presentationId,
  });

describeInBrowser('states of a deck on its pages', () => {
  test('a collaborator is removed after a question, and can change the deck no more', async () => {
    const deck = await stage.world.aPushedDeck(stage.owner);
    const { presentationId } = deck;
    const other = await stage.world.anOwner();
    await stage.world.addMember(deck, other);
    await call('inviteCollaborator', { presentationId, email: 'waiting@example.com' });
    const precheck = async () => (await call('precheckAssets', { presentationId, hashes: [] }, other)).status;
    expect(await precheck()).toBe(200);
    await stage.enter(stage.owner, `/decks/${presentationId}/people`);
    const person = stage.page.getByRole('row').filter({ hasText: other.email });
    await person.getByText('May edit', { exact: true }).waitFor();
    await person.getByRole('button').click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect(await precheck()).toBe(200);
    await person.getByRole('button').click();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await toast('cannot edit this deck any more.').waitFor();
    expect(await precheck()).toBe(403);
    await person.getByText('Removed', { exact: true }).waitFor();
    expect(await person.getByRole('button').count()).toBe(0);

    await button('Withdraw the invitation of waiting@example.com').click();
    await dialog().getByRole('button', { name: 'Withdraw' }).click();
    await toast('waiting@example.com cannot edit this deck any more.').waitFor();
    await stage.expectTidy();
  });

  test('more mails than a page are shown page by page, the newest first', async () => {
    const owner = await stage.world.anOwner('enterprise');
    const { presentationId } = await stage.world.aPushedDeck(owner);
    const addresses = (round: string) => Array.from({ length: 20 }, (_, i) => `${round}-${i}@example.com`);
    for (const round of ['first', 'second', 'third']) {
      const { status } = await call('sharePresentationViaEmail', { presentationId, emails: addresses(round) }, owner);
      expect(status).toBe(200);
    }
    await stage.enter(owner, `/decks/${presentationId}/mails`);
    const mails = stage.page.getByRole('row').filter({ hasText: '@example.com' });
    await mails.nth(49).waitFor();
    expect(await mails.count()).toBe(50);
    expect(await mails.first().textContent()).toContain('third-');
    await button('Show older mails').click();
    await mails.nth(59).waitFor();
    expect(await mails.count()).toBe(60);
    const shown = (await mails.allTextContents()).map((text) => /\w+-\d+@example\.com/.exec(text)![0]);
    expect(new Set(shown)).toEqual(new Set(['first', 'second', 'third'].flatMap(addresses)));
    expect(await button('Show older mails').count()).toBe(0);
    await stage.expectTidy();
  });

  test('a deck that was taken down says why, shows nothing of itself and no link to hand out', async () => {
    const { presentationId } = await stage.world.aPushedDeck(stage.owner, [page('<h1>Spam</h1>')], 'Taken');
    const reason = 'Phishing <b>x</b>';
    await stage.world.database.doc(`presentations/${presentationId}`).update({ takedown: { at: new Date(), reason } });
    await stage.enter(stage.owner, `/decks/${presentationId}`);
    const said = `An operator of the service closed all links of this deck: ${reason}`;
    await stage.page.getByText(said).waitFor();
    await stage.page.locator('.label').getByText('Taken down', { exact: true }).waitFor();
    expect(await button('Show it here').count()).toBe(0);
    await stage.expectTidy();
    await stage.page.goto(stage.address());
    await stage.settle();
    await stage.page.getByText('Taken down', { exact: true }).waitFor();
    await stage.page.goto(stage.address(`/decks/${presentationId}/settings`));
    await stage.settle();
    await stage.page.getByText(said).waitFor();
    await stage.expectTidy();
  });

  test('an expiry in the past is refused before it is sent, and says how the links close now', async () => {
    const deck = await stage.world.aPushedDeck(stage.owner, [page()], 'Old');
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/settings`);
    const calls: string[] = [];
    stage.page.on('request', (request) => calls.push(request.url()));
    const field = stage.page.getByLabel('Date and time');
    await field.fill('2020-01-31T18:00');
    await button('Set expiry').click();
    await stage.page.getByText('This time has passed: choose a later one.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(calls.filter((url) => url.includes('setPresentationExpiry'))).toEqual([]);
    await stage.expectTidy();
    await field.fill('2031-01-31T18:00');
    expect(await stage.page.getByText('This time has passed').count()).toBe(0);
    await button('Set expiry').click();
    await toast(/^The links close January 31, 2031/).waitFor();
    expect((await info(deck)).expiresAt).toMatch(/^2031-01-31/);
  });

  test('an expiry that has passed is replaced by a later one, which opens the links again', async () => {
    const deck = await stage.world.aPushedDeck(stage.owner, [page()], 'Over');
    const stored = stage.world.database.doc(`presentations/${deck.presentationId}`);
    await stored.update({ expiresAt: new Date(Date.now() - 3600_000) });
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/settings`);
    await stage.page.getByText('The links of this deck do not open any more.').waitFor();
    await stage.expectTidy();
    await button('Never expire').click();
    await toast('The links of this deck do not expire.').waitFor();
    // The service takes no time in the past: there is nothing to undo.
    expect(await toast('do not expire').getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await info(deck)).expiresAt).toBeNull();
    expect(await stage.page.getByText('The links of this deck do not open any more.').count()).toBe(0);
  });
});

describeInBrowser('the page of a listing in the dashboard', () => {
  const aDeck = () => stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], 'Quarterly results');

  test('the deck is published, updated, taken out of the lists and listed again', async () => {
    const deck = await aDeck();
    await stage.world.forgetPublications(stage.owner);
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/marketplace`);
    await stage.page.getByLabel('Description').fill('Revenue and costs.');
    await stage.page.getByLabel('Tags (optional)').fill('Finance, report');
    await stage.page.locator('.listing-card').getByText('Revenue and costs.').waitFor();
    await button('Publish').click();
    await toast('The deck is in the marketplace.').waitFor();
    const { slug } = (await info(deck)).listing!;
    const listing = () =>
      read<{ description: string; tags: string[]; status: string }>('getMarketplaceListing', { slug });
    expect(await listing()).toMatchObject({ tags: ['finance', 'report'], status: 'public' });
    await button('Update listing').waitFor();
    await stage.page.getByLabel('Description').fill('Revenue, costs and the plan.');
    await button('Update listing').click();
    await toast('The listing is updated.').waitFor();
    expect((await listing()).description).toBe('Revenue, costs and the plan.');
    await button('Take out of the lists').click();
    await toast('The lists do not show the deck any more.').waitFor();
    expect((await listing()).status).toBe('unlisted');
    await button('List it again').click();
    await toast('The lists show the deck again.').waitFor();
    expect((await listing()).status).toBe('public');
  });

  test('a part of the form that is closed opens when one of its fields is wrong', async () => {
    const deck = await aDeck();
    await stage.world.forgetPublications(stage.owner);
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/marketplace`);
    const more = stage.page.getByText('More (optional)');
    const slug = stage.page.getByLabel('Address (optional)');
    const technologies = stage.page.getByLabel('Technologies (optional)');
    await stage.page.getByLabel('Description').fill('Revenue and costs.');
    expect(await slug.isVisible()).toBe(false);

    await more.click();
    await slug.fill('Not a slug');
    await more.click();
    await slug.waitFor({ state: 'hidden' });
    await button('Publish').click();
    await slug.waitFor();
    await slug.and(stage.page.locator(':focus')).waitFor();

    // The browser cannot know what the service refuses.
    await slug.fill('');
    await technologies.fill('C@');
    await more.click();
    await technologies.waitFor({ state: 'hidden' });
    await button('Publish').click();
    await technologies.waitFor();
    await technologies.fill('three.js');
    await button('Publish').click();
    await toast('The deck is in the marketplace.').waitFor();
    expect(await read('getMarketplaceListing', { slug: (await info(deck)).listing!.slug })).toMatchObject({
      techStack: ['three.js'],
    });
    // A listing with such a field shows it.
    await stage.page.reload();
    expect(await technologies.inputValue()).toBe('three.js');
    await technologies.waitFor();
  });
});
