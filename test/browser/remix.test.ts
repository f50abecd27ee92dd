import { page } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const evil = `<img src=x onerror="top.hit=1"> ‮${'W'.repeat(200)}`;

describeInBrowser('the page that makes a remix', () => {
  test('shows what is copied, whatever its texts are', async () => {
    const files = [page(), ...Array.from({ length: 60 }, (_, i) => page('x', `${'w'.repeat(150)}/${i + 100}.html`))];
    const deck = await stage.world.aDeck(stage.owner, files);
    const { slug } = await stage.world.aListing(stage.owner, { title: evil, description: evil }, deck);
    await stage.enter(await stage.world.anOwner(), `/remix/${slug}`);
    expect(await stage.page.getByRole('heading', { level: 2 }).textContent()).toBe(evil);
    await stage.page.getByText('The files that are copied').click();
    await stage.page.getByText('and 11 more').waitFor();
    await stage.page.getByText('Version 1, 61 files').waitFor();
    await stage.page.getByText('The copy contains the author’s scripts.').waitFor();
    await stage.expectTidy();
    expect(await stage.page.evaluate('window.hit')).toBeUndefined();
  });

  test('shows the picture of the listing', async () => {
    const picture = { path: 'thumbnail.png', contentType: 'image/png', bytes: Buffer.from(PNG, 'base64') };
    const deck = await stage.world.aPushedDeck(stage.owner, [page(), picture]);
    const { slug } = await stage.world.aListing(stage.owner, {}, deck);
    await stage.enter(await stage.world.anOwner(), `/remix/${slug}`);
    await until(stage.page, `document.querySelector('.source img.picture').naturalWidth === 1`);
    await stage.expectTidy();
  });

  test('says that a listing is not public, and that there is none', async () => {
    const { slug } = await stage.world.aListing(stage.owner);
    await stage.world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: stage.owner.key });
    await stage.enter(await stage.world.anOwner(), `/remix/${slug}`);
    await stage.page.getByText('This listing is not public.').waitFor();
    expect(await stage.page.getByRole('button', { name: 'Make the remix' }).count()).toBe(0);
    await stage.enter(await stage.world.anOwner(), '/remix/none-such-listing');
    await stage.page.getByRole('alert').getByText('This does not exist').waitFor();
    await stage.page.getByRole('link', { name: 'Look for another listing' }).waitFor();
  });
});
