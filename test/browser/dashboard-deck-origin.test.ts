import { page } from '../support/world';
import { describeInBrowser } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage({ deckOrigin: true });

describeInBrowser('the dashboard of a service whose decks have origins of their own', () => {
  test('a deck runs in place with its files, and cannot read the dashboard', async () => {
    expect(stage.world.cloud.deckOrigin).toBeDefined();
    const script = {
      path: 'js/a.js',
      contentType: 'text/javascript',
      bytes: Buffer.from('document.body.append("ran")'),
    };
    const files = [page('<h1>Here</h1><script src="js/a.js"></script>'), script];
    const { presentationId } = await stage.world.aPushedDeck(stage.owner, files, 'In place');
    await stage.enter(stage.owner, `/decks/${presentationId}`);
    await stage.page.getByRole('button', { name: 'Show it here' }).click();
    const frame = stage.page.frameLocator('.stage iframe');
    await frame.getByRole('heading', { name: 'Here' }).waitFor();
    await frame.getByText('ran').waitFor();
    const inner = stage.page.frames().find((each) => each.url().includes('/getSharedPresentation/'))!;
    expect(await inner.evaluate('origin')).toBe('null');
    expect(await inner.evaluate('(() => { try { return parent.document.title } catch (e) { return e.name } })()')).toBe(
      'SecurityError',
    );
    expect(stage.troubles).toEqual([]);
  });
});
