import { describeInBrowser } from './browser';
import { DashboardStage } from './dashboard';
import { keyboardOf } from './keyboard';
import { proveActions } from './proof-actions';

/** Actions in the dashboard: one that is done once, and what people do with the keys alone. */

const stage = new DashboardStage();
const { button, dialog, toast } = stage;
const { focused, isIn, reachAndPress, type, typeInto, untilFocused } = keyboardOf(stage);

proveActions(stage, ['a link is added']);

describeInBrowser('with the keys alone', () => {
  test('a deck is published, its link copied, and the deck deleted', async () => {
    await stage.viewer.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await stage.enter(stage.owner, '/new');
    const chooser = stage.page.waitForEvent('filechooser');
    await reachAndPress('Choose a file');
    const buffer = Buffer.from('<title>Talk</title><h1>Talk</h1>');
    await (await chooser).setFiles({ name: 'index.html', mimeType: 'text/html', buffer });
    await button('Publish', true).waitFor();
    // The button that was pressed is gone. The focus is in the form that came in its place.
    expect(await isIn('form.check-form')).toBe(true);
    await reachAndPress('Publish');
    await untilFocused('Your deck is online');
    await reachAndPress('Copy link');
    await toast('Link copied').waitFor();
    expect(await stage.copied()).toMatch(/\/share\//);
    expect(await focused()).toBe('Copy link');

    await reachAndPress('Go to the deck');
    await untilFocused('Talk');
    await reachAndPress('Settings');
    await button('Delete deck').waitFor();
    await reachAndPress('Delete deck');
    await dialog().waitFor();
    // The focus begins in the first field.
    expect(await focused()).toBe('Type “Talk” to confirm');
    await typeInto('Type “Talk” to confirm', 'Talk');
    await type('Enter');
    await toast('“Talk” is deleted.').waitFor();
    await untilFocused('Decks');
  });
});
