import { passSeconds } from '../../support/clock';
import {
  contentUrl,
  detail,
  newPage,
  owner,
  publish,
  remixOf,
  startMarketplace,
  update,
} from '../../support/marketplace';
import { page, type Account, type Answered, world } from '../../support/world';

/** The end of a listing that races with its changes, and the slugs of a chain of remixes. */

startMarketplace();

const publishNew = async (fields: Record<string, unknown>, by = owner, title?: string) =>
  publish(by, { presentationId: (await world.aDeck(by, [page()], title)).presentationId, ...fields });
const remove = (by: Account, presentationId: string) =>
  world.call<{ listingSlug: string }>('deletePresentation', { presentationId }, { key: by.key });

describe('the slug of a deleted deck', () => {
  const DAY = 86_400;

  test('stays reserved for the listing of a remix while a deck or a listing was remixed from it', async () => {
    const { slug: root } = await world.aListing(owner);
    const first = await world.aListing(owner, { slug: 'remixed-first' }, await remixOf(root));
    const second = await world.aListing(owner, { slug: 'remixed-second' }, await remixOf(first.slug));
    const third = await remixOf(second.slug);
    for (const { presentationId } of [first, second]) await remove(owner, presentationId);
    passSeconds(30 * DAY);
    const claim = async ({ slug }: { slug: string }) => (await publishNew({ slug })).status;
    const claims = async () => [await claim(first), await claim(second)];
    expect(await claims()).toEqual([409, 409]);
    await remove(owner, third.presentationId);
    expect([await claims(), await claims()]).toEqual([
      [409, 200],
      [200, 409],
    ]);
  });
});

describe('a race with the end of a listing', () => {
  const remix = (slug: string) => world.call('remixMarketplaceListing', { slug }, { key: owner.key });
  const star = (slug: string) => world.call('starMarketplaceListing', { slug }, { key: owner.key });
  /** Fails unless a listing has ended: it is in no list, and its detail and content answer 410. */
  const expectEnded = async (slug: string) => {
    const filters = (await world.database.doc(`listings/${slug}`).get()).get('filters') as string[];
    expect([filters, (await detail(slug)).status, await world.visit(contentUrl(slug))]).toEqual([[], 410, 410]);
  };

  test('a deletion of its deck: a listing published or changed at that moment ends as well', async () => {
    const codeOf = async (answer: Promise<Answered<unknown>>) => (await answer).body.error?.code ?? 'ok';
    for (const round of [0, 1, 2, 3, 4]) {
      const { presentationId } = await world.aDeck(owner, [newPage()]);
      const slug = `ends-in-round-${round}`;
      if (round > 0) await world.aListing(owner, { slug }, { presentationId });
      const late = { slug, title: 'Late', status: 'public' };
      const change = () => (round > 0 ? update(owner, late) : publish(owner, { presentationId, slug }));
      const calls: (() => Promise<Answered<unknown>>)[] = [change, () => star(slug), () => remix(slug)];
      calls.splice(round, 0, () => remove(owner, presentationId));
      const answers = await Promise.all(calls.map((call) => codeOf(call())));
      const [deleted] = answers.splice(Math.min(round, 3), 1);
      expect(deleted).toBe('ok');
      // A call after the deletion finds an ended listing, or in the first round no listing.
      const isListed = round > 0 || answers[0] === 'ok';
      const possible = ['ok', ...(isListed ? ['expired'] : []), ...(round > 0 ? [] : ['not-found'])];
      expect(answers.filter((code) => !possible.includes(code))).toEqual([]);
      if (isListed) await expectEnded(slug);
      else expect((await detail(slug)).status).toBe(404);
    }
  });
});
