import { page } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();
const press = async (...keys: string[]) => {
  for (const key of keys) await stage.page.keyboard.press(key);
};
const type = (text: string) => stage.page.keyboard.insertText(text);
const toast = (text: string | RegExp) => stage.page.locator('.toast').filter({ hasText: text });

/** The name of the element that has the focus. */
const NAME = `(() => {
  const { activeElement: focused } = document;
  const label = focused.labels?.[0]?.querySelector('span') ?? focused.labels?.[0];
  return (focused.getAttribute('aria-label') ?? (label ?? focused).textContent).trim();
})()`;
const focused = () => stage.page.evaluate<string>(NAME);
const untilFocused = (name: string) => until(stage.page, `${NAME} === ${JSON.stringify(name)}`);

/** Goes with the Tab key to a control, as somebody without a mouse does. */
async function reach(name: string, { back = false } = {}): Promise<void> {
  for (let left = 80; left > 0; left--) {
    if ((await focused()) === name) return;
    await press(back ? 'Shift+Tab' : 'Tab');
  }
  throw new Error(`The Tab key does not reach “${name}”.`);
}

async function choose(menu: string, item: string): Promise<void> {
  await reach(menu);
  await press('Enter');
  await until(stage.page, `document.activeElement.role === 'menuitem'`);
  for (let left = 9; left > 0 && (await focused()) !== item; left--) await press('ArrowDown');
  expect(await focused()).toBe(item);
  await press('Enter');
}

const aDeck = async () =>
  (await stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], 'Results')).presentationId;

describeInBrowser('with the keys alone', () => {
  test('a deck is published, its link copied, and the deck deleted', async () => {
    await stage.viewer.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await stage.enter(stage.owner, '/new');
    const chooser = stage.page.waitForEvent('filechooser');
    await reach('Choose a file');
    await press('Enter');
    const buffer = Buffer.from('<title>Talk</title><h1>Talk</h1>');
    await (await chooser).setFiles({ name: 'index.html', mimeType: 'text/html', buffer });
    await stage.page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
    // The button that was pressed is gone. The focus is in the form that came in its place.
    expect(await stage.page.evaluate('document.activeElement.closest("form")?.className')).toBe('card check-form');
    await reach('Publish');
    await press('Enter');
    await untilFocused('Your deck is online');
    await reach('Copy link');
    await press('Enter');
    await toast('Link copied').waitFor();
    expect(await stage.page.evaluate('navigator.clipboard.readText()')).toMatch(/\/share\//);
    expect(await focused()).toBe('Copy link');

    await reach('To the deck');
    await press('Enter');
    await untilFocused('Talk');
    await reach('Settings');
    await press('Enter');
    await stage.page.getByRole('button', { name: 'Delete deck' }).waitFor();
    await reach('Delete deck');
    await press('Enter');
    await stage.page.getByRole('dialog').waitFor();
    await reach('Type “Talk” to confirm');
    await press('Enter');
    expect(await stage.page.getByRole('dialog').count()).toBe(1);
    await type('Talk');
    await press('Enter');
    await toast('“Talk” is deleted.').waitFor();
    await untilFocused('Decks');
  });

  test('a link is added and revoked, and the focus stays where the person works', async () => {
    await stage.enter(stage.owner, `/decks/${await aDeck()}/links`);
    await reach('Name');
    await type('Board');
    await press('Enter');
    await toast(/Board/).waitFor();
    expect(await focused()).toBe('Name');
    await choose('Actions for the link Board', 'Revoke …');
    await stage.page.getByRole('dialog').waitFor();
    await press('Escape');
    await untilFocused('Actions for the link Board');
    await choose('Actions for the link Board', 'Revoke …');
    await stage.page.getByRole('dialog').waitFor();
    await reach('Revoke link');
    await press('Enter');
    await toast('The link “Board” is revoked.').waitFor();
    await stage.settle();
    expect(
      await stage.page.evaluate(
        'document.activeElement.closest("main") ? "" : document.activeElement.outerHTML.slice(0, 500)',
      ),
    ).toBe('');
  });

  test('a listing is published, and keeps the focus near', async () => {
    await stage.world.forgetPublications(stage.owner);
    await stage.enter(stage.owner, `/decks/${await aDeck()}/marketplace`);
    await reach('Description');
    await type('Revenue and costs.');
    await reach('Publish in the marketplace');
    await press('Enter');
    await toast('The deck is in the marketplace.').waitFor();
    await stage.settle();
    expect(await stage.page.evaluate('!!document.activeElement.closest("section.listing")')).toBe(true);
  });

  test('a form that is saved or left as it was keeps the focus', async () => {
    await stage.enter(stage.owner, '/settings');
    await reach('Last name');
    await type('Byron');
    await reach('Discard changes');
    await press('Enter');
    await untilFocused('Save');
    // There is nothing to save: the button does nothing, and stays.
    await press('Enter');
    expect(await focused()).toBe('Save');
    await reach('Last name', { back: true });
    await type('Byron');
    await reach('Save');
    await press('Enter');
    await toast('Saved.').waitFor();
    expect(await focused()).toBe('Save');
  });

  test('a menu opens, moves and closes by keys; a dialog keeps the focus and gives it back', async () => {
    await stage.enter(stage.owner, `/decks/${await aDeck()}/links`);
    const menu = 'Actions for the link default';
    await reach(menu);
    await press(' ');
    await untilFocused('QR code');
    await press('ArrowUp');
    expect(await focused()).toBe('Revoke …');
    await press('Home', 'ArrowDown');
    expect(await focused()).toBe('Pin or follow …');
    await press('Escape');
    expect([await focused(), await stage.page.getByRole('menu').count()]).toEqual([menu, 0]);
    await choose(menu, 'Rename …');
    await stage.page.getByRole('dialog').waitFor();
    for (let n = 0; n < 12; n++) {
      await press('Tab');
      // Between its last and its first control the focus is in the window of the browser.
      const isInside = 'document.activeElement === document.body || !!document.activeElement.closest("dialog")';
      expect(await stage.page.evaluate(isInside)).toBe(true);
    }
    await press('Escape');
    await untilFocused(menu);
  });

  test('every key that the list names does what it says', async () => {
    const id = await aDeck();
    const start = `/decks/${id}`;
    const rows = async () => {
      await press('?');
      await stage.page.getByRole('dialog', { name: 'Keys' }).or(stage.page.getByRole('dialog')).first().waitFor();
      const found = await stage.page.locator('.shortcuts > div').allInnerTexts();
      return found.map((text) => text.split(/\s*\n\s*/) as [string, string]);
    };
    const places: Record<string, string> = {
      d: '',
      n: '/new',
      k: '/keys',
      u: '/usage',
      s: '/settings',
      v: `${start}/versions`,
      l: `${start}/links`,
      m: `${start}/mails`,
    };
    await stage.enter(stage.owner, start);
    await press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await press('Enter');
    expect(await stage.page.evaluate('document.activeElement.id')).toBe('content');
    const listed = await rows();
    await press('Escape');
    expect(listed.map(([key]) => key).sort()).toEqual(['?', ...Object.keys(places)].sort());
    for (const [key, path] of Object.entries(places)) {
      await press(key);
      await stage.page.waitForURL(stage.address(path));
      await stage.settle();
      await stage.page.goto(stage.address(start));
      await stage.settle();
    }
    await press('d');
    await untilFocused('Decks');
    await stage.settle();
    expect((await rows()).map(([key]) => key)).toContain('/');
    await press('Escape');
    await stage.page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('/');
    expect(await stage.page.evaluate('document.activeElement.outerHTML.slice(0, 300)')).toContain('type="search"');
    // A letter that is typed into a field is a letter.
    await press('k');
    expect(stage.page.url()).not.toContain('/keys');
  });

  test('a collaborator has only the keys of pages that collaborators have', async () => {
    const presentationId = await aDeck();
    const guest = await stage.world.anOwner();
    await stage.world.call('inviteCollaborator', { presentationId, email: guest.email }, { key: stage.owner.key });
    await stage.enter(guest, `/decks/${presentationId}`);
    await press('?');
    await stage.page.getByRole('dialog').waitFor();
    const keys = await stage.page.locator('.shortcuts kbd').allInnerTexts();
    expect(keys.filter((key) => 'vlm'.includes(key))).toEqual(['v']);
  });
});
