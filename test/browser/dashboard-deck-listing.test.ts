import { page } from '../support/world';
import type { Deck } from '../support/stored';
import { describeInBrowser } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();

const button = (name: string | RegExp) => stage.page.getByRole('button', { name });
const toast = (text: string | RegExp) => stage.page.locator('.toast').filter({ hasText: text });
const read = async <T>(name: string, query: Record<string, string>) =>
  (await stage.world.call<T>(name, undefined, { key: stage.owner.key, query, method: 'GET' })).data;
const info = ({ presentationId }: Deck) =>
  read<{ listing: { slug: string } | null }>('getSharedPresentationInfo', { presentationId });
const aDeck = () => stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], 'Quarterly results');

describeInBrowser('the page of a listing in the dashboard', () => {
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
