import { aPng } from '../support/image-file';
import { page, succeed, type Deck } from '../support/world';
import { describeInBrowser } from './browser';
import { aVersion, DashboardStage } from './dashboard';

/** What changed in the listing of which a deck is a remix. */

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
