import { aPng } from '../support/image-file';
import { makePictures } from '../support/pictures';
import { page, succeed, type Deck } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { aVersion, DashboardStage } from './dashboard';
import { file, PNG } from './small-decks';

/** How a listing is remixed, and what changed in the source of a remix since. */

const stage = new DashboardStage({ deckOrigin: true });
const { button, heading, link, text, toast } = stage;

const css = (path: string, content: string) => ({
  path,
  contentType: 'text/css; charset=utf-8',
  bytes: Buffer.from(content),
});
const png = async (path: string, width: number) => ({ path, contentType: 'image/png', bytes: await aPng(width, 20) });

describeInBrowser('the source of a remix', () => {
  test('is compared with the deck, and what only the source changed is taken with one button', async () => {
    const { world, owner } = stage;
    const author = await world.aPublisher();
    const first = [page('Talk'), css('a.css', 'one\n'), css('both.css', 'one\n'), await png('picture.png', 20)];
    const deck = await world.aPushedDeck(author, first, 'Spring plan');
    const { slug } = await world.aListing(author, {}, deck);
    const made = await succeed(world.call<Deck>('remixMarketplaceListing', { slug }, { key: owner.key }));
    await aVersion(world, owner, made.presentationId, [page('Talk'), first[1]!, css('both.css', 'mine\n'), first[3]!]);
    const next = [page('Talk'), css('a.css', 'two\n'), css('both.css', 'theirs\n'), await png('picture.png', 40)];
    await aVersion(world, author, deck.presentationId, [...next, css('new.css', 'new\n')]);
    await succeed(world.call('updateMarketplaceListing', { slug, version: 2 }, { key: author.key }));

    await stage.enter(owner, `/decks/${made.presentationId}`);
    await link('Source').click();
    await heading('4 files changed in the source since your copy').waitFor();
    await text('a.css').click();
    await stage.page.locator('.lines .added').getByText('+two').waitFor();
    await text('picture.png').click();
    await stage.page.getByRole('img', { name: 'In the source' }).waitFor();
    await text('deck remix --update').first().waitFor();
    await stage.expectTidy();
    await button('Take 3 files').click();
    await toast('Your deck has version 3').waitFor();
    await heading('1 file changed in the source since your copy').waitFor();

    const dev = await world.anOwner();
    await world.addMember(made, dev);
    await stage.enter(dev, `/decks/${made.presentationId}`);
    await link('Source').click();
    await heading('1 file changed in the source since your copy').waitFor();

    await succeed(world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: author.key }));
    await stage.page.reload();
    await heading('The source is not public any more').waitFor();
  });
});

describeInBrowser('the page that makes a remix', () => {
  test('shows what is copied and the picture of the listing, whatever its texts are', async () => {
    const evil = `<img src=x onerror="top.hit=1"> ‮${'W'.repeat(200)}\u202c`;
    const many = Array.from({ length: 60 }, (_, i) => page('x', `${'w'.repeat(150)}/${i + 100}.html`));
    const deck = await stage.aDeck([page(), file('thumbnail.png', PNG), ...many]);
    const { slug } = await stage.world.aListing(stage.owner, { title: evil, description: evil }, deck);
    await makePictures();
    await stage.enter(await stage.world.anOwner(), `/remix/${slug}`);
    await soon(async () => expect(await stage.page.getByRole('heading', { level: 2 }).textContent()).toBe(evil));
    await until(stage.page, `document.querySelector('.source img.picture').naturalWidth === 1`);
    await text('The files that are copied').click();
    for (const said of ['and 12 more', 'Version 1, 62 files', 'The copy contains the author’s scripts.'])
      await text(said).waitFor();
    await stage.expectTidy();
    expect(await stage.page.evaluate('window.hit')).toBeUndefined();
  });

  test('says that a listing is not public, and that there is none', async () => {
    const { slug } = await stage.world.aListing(stage.owner);
    await stage.call('updateMarketplaceListing', { slug, status: 'unlisted' });
    await stage.enter(await stage.world.anOwner(), `/remix/${slug}`);
    await text('This listing is not public.').waitFor();
    await soon(async () => expect(await button('Remix', true).count()).toBe(0));
    await stage.open('/remix/none-such-listing');
    await stage.alert().getByText('This does not exist').waitFor();
    await stage.link('Browse the marketplace').waitFor();
  });
});
