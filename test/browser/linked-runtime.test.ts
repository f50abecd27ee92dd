import { describeInBrowser, until } from './browser';
import { html } from './small-decks';
import { Stage } from './stage';

const stage = new Stage();

describeInBrowser('the runtime of a deck on its own origin', () => {
  test('comes from the origin of the deck, leaves nothing behind, and leaves storage and links to the browser', async () => {
    const look = `({
      names: Object.getOwnPropertyNames(window).sort(),
      html: document.documentElement.outerHTML,
      isNative: /native code/.test(Object.getOwnPropertyDescriptor(window, 'localStorage').get),
    })`;
    const body = `<title>Deck</title><link rel="icon" href="data:,"><a href="https://elsewhere.example/">Go</a><script>localStorage.kept = 1</script>`;
    const deck = await stage.world.aDeck(stage.owner, [html(body)]);
    await stage.viewer.page.goto(`${deck.shareUrl}#3`);
    await until(stage.viewer.page, `location.hash === '#3' && localStorage.kept === '1'`);
    const { page } = stage.viewer;
    const { origin } = new URL(page.url());
    const own = stage.viewer.answers.filter(({ url }) => url.includes('/_deck/'));
    expect(own).toEqual([expect.objectContaining({ status: 200, url: expect.stringContaining(`${origin}/_deck/`) })]);
    const seen = await page.evaluate<{ html: string; names: string[] }>(look);
    expect(seen).toMatchObject({ isNative: true, html: expect.stringMatching(/^<html><head><meta charset/) });
    // The same page without the runtime: as a script would read it.
    const other = await stage.viewer.context.newPage();
    await other.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: html(body).bytes }));
    await other.goto(`${origin}/#3`);
    expect(await other.evaluate(look)).toEqual(seen);
    await stage.viewer.context.route('https://elsewhere.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<link rel="icon" href="data:,">` }),
    );
    await page.click('a');
    await page.waitForURL('https://elsewhere.example/');
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('sends nothing to a page that did not ask, and answers the page around it that asks', async () => {
    const { world, owner, viewer } = stage;
    const strict = `<script>got = []; onmessage = ({ data }) => got.push(JSON.parse(data).said)</script>`;
    const inner = `<title>Inner</title><script>parent.postMessage('{"said":"inner"}', '*')</script>`;
    const deck = await world.aDeck(owner, [
      html(
        `<title>Deck</title><link rel="icon" href="data:,">${strict}<iframe src="inner.html"></iframe><script>parent.postMessage('{"said":"deck"}', '*')</script>`,
      ),
      html(inner, 'inner.html'),
    ]);
    await viewer.page.goto(deck.shareUrl);
    // Alone in its window, the deck is its own parent.
    expect(await until(viewer.page, 'got.length > 1 && got')).toEqual(['deck', 'inner']);

    await viewer.context.addInitScript(`{ got = []; addEventListener('message', ({ data }) => got.push(data)) }`);
    const { slug } = await world.aListing(owner, {}, deck);
    await viewer.page.goto(`${world.cloud.hostingUrl}/marketplace/${slug}`);
    expect(await until(viewer.page, 'got.length > 0 && got')).toEqual(['{"said":"deck"}']);
    await viewer.page.evaluate(`frames[0].postMessage({ type: 'decks/frame', isHello: true }, '*')`);
    const told = { type: 'decks/frame', hash: '', search: '', title: 'Deck' };
    expect(await until(viewer.page, 'got.length > 1 && got')).toEqual(['{"said":"deck"}', told]);
    expect(viewer.troubles).toEqual([]);
  });
});
