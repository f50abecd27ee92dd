import { readFile } from 'node:fs/promises';
import type { Route } from 'playwright-core';
import { page, succeed } from '../support/world';
import type { Deck } from '../support/stored';
import { each } from '../support/each';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();

const button = (name: string | RegExp) => stage.page.getByRole('button', { name });
const item = (name: string | RegExp) => stage.page.getByRole('menuitem', { name });
const toast = (text: string | RegExp) => stage.page.locator('.toast').filter({ hasText: text });
const row = (text: string) => stage.page.locator('.row').filter({ hasText: text });
const dialog = () => stage.page.getByRole('dialog');
const call = <T = Record<string, unknown>>(name: string, input: object) =>
  stage.world.call<T>(name, input, { key: stage.owner.key });
const read = async <T>(name: string, query: Record<string, string>) =>
  (await stage.world.call<T>(name, undefined, { key: stage.owner.key, query, method: 'GET' })).data;

interface Info {
  title: string;
  version: number;
  expiresAt: string | null;
  tokens: { tokenId: string; name: string; revoked: boolean; shareUrl: string; versionMode: object }[];
}
const info = ({ presentationId }: Pick<Deck, 'presentationId'>) =>
  read<Info>('getSharedPresentationInfo', { presentationId });

/** A deck with two versions, pushed as a client pushes it. */
async function aDeck(title = 'Quarterly results'): Promise<Deck> {
  const deck = await stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], title);
  const { presentationId } = deck;
  const second = page('<h1>Two</h1>');
  await stage.world.uploadAll(stage.owner, { presentationId }, [second]);
  await stage.world.commit(stage.owner, { presentationId, message: 'New chart' }, [second]);
  return deck;
}

async function choose(menu: string | RegExp, action: string | RegExp): Promise<void> {
  await button(menu).click();
  await item(action).click();
}

describeInBrowser('the pages of one deck', () => {
  test('the deck runs in place, on an origin that cannot read the dashboard', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}`);
    await button('Show it here').click();
    const frame = stage.page.frameLocator('.stage iframe');
    await frame.getByRole('heading', { name: 'Two' }).waitFor();
    const inner = stage.page.frames().find((each) => each.url().includes('/getSharedPresentation/'))!;
    expect(await inner.evaluate('origin')).toBe('null');
    await button('Close the deck').click();
    expect(await stage.page.locator('.stage iframe').count()).toBe(0);
  });

  test('links are added, renamed, pinned and revoked, and each change can be undone or is asked about', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/links`);
    await stage.page.getByLabel('Name').fill('Board');
    await button('Add a link').click();
    await row('Board').waitFor();
    const board = async () => (await info(deck)).tokens.find(({ name }) => name.startsWith('Board'))!;
    const { shareUrl } = await board();
    expect(await stage.world.visit(shareUrl)).toBe(200);

    await choose('Actions for the link Board', 'Rename …');
    await dialog().getByLabel('Name').fill('Board of 2031');
    await button('Save').click();
    await toast('The link is called “Board of 2031” now.').waitFor();
    await toast('Board of 2031').getByRole('button', { name: 'Undo' }).click();
    await toast('The link is called “Board” now.').waitFor();
    expect((await board()).name).toBe('Board');

    await choose('Actions for the link Board', 'Pin or follow …');
    await dialog().getByLabel('Shows').selectOption({ label: 'Only version 1' });
    await button('Save').click();
    await toast('“Board” shows version 1.').waitFor();
    expect((await board()).versionMode).toEqual({ type: 'pinned', version: 1 });
    await button('The same from a terminal or a program').or(stage.page.getByText('The same from a terminal')).click();
    expect(await stage.page.locator('.command-strip pre').textContent()).toMatch(
      new RegExp(`^deck links pin \\S+ 1 --deck ${deck.presentationId}$`),
    );

    await choose('Actions for the link Board', 'Revoke …');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect(await stage.world.visit(shareUrl)).toBe(200);
    await choose('Actions for the link Board', 'Revoke …');
    await button('Revoke link').click();
    await toast('The link “Board” is revoked.').waitFor();
    expect(await stage.world.visit(shareUrl)).toBe(403);
    await stage.page.getByText('1 revoked link').waitFor();
  });

  test('a change is undone also while the page reads the deck again', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/links`);
    const reading = /\/getSharedPresentationInfo/;
    const held: Route[] = [];
    await stage.page.route(reading, (route) => void held.push(route));
    await choose('Actions for the link default', 'Rename …');
    await dialog().getByLabel('Name').fill('Board');
    await button('Save').click();
    await toast('The link is called “Board” now.').getByRole('button', { name: 'Undo' }).click();
    await toast('The link is called “default” now.').waitFor();
    expect((await info(deck)).tokens.map(({ name }) => name)).toEqual(['default']);
    await stage.page.unroute(reading);
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
  });

  test('the personal link of a mail is not the one to copy', async () => {
    const deck = await aDeck();
    const { presentationId } = deck;
    // A recipient gets few mails a day, and the other tests write to others.
    await succeed(call('sharePresentationViaEmail', { presentationId, emails: ['katherine@example.com'] }));
    await stage.enter(stage.owner, `/decks/${presentationId}`);
    expect(await stage.page.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe(deck.shareUrl);
    const { tokens } = await info(deck);
    const { tokenId } = tokens.find(({ shareUrl }) => shareUrl === deck.shareUrl)!;
    await call('unsharePresentation', { presentationId, tokenId });
    const mailed = tokens.find(({ name }) => name === 'katherine@example.com')!;
    await call('renameShareToken', { presentationId, tokenId: mailed.tokenId, name: 'Grace' });
    await stage.page.reload();
    await stage.page.getByText('This deck has no link to share.').waitFor();
    expect(await button('Copy link').count()).toBe(0);

    await stage.page.goto(stage.address(`/decks/${presentationId}/versions`));
    await button('Publish a new version').click();
    await stage.page
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('<h1>Three</h1>') });
    await button('Publish version').click();
    await stage.page.getByRole('heading', { name: 'Version 3 is online' }).waitFor();
    expect(await stage.page.getByLabel('Link').count()).toBe(0);
  });

  test('a row shows enough of its address to know the link, and opens it', async () => {
    const { presentationId, shareUrl } = await aDeck();
    await stage.enter(stage.owner, `/decks/${presentationId}/links`);
    const address = row('default').getByRole('link');
    expect(await address.getAttribute('href')).toBe(shareUrl);
    const { host, searchParams } = new URL(shareUrl);
    const token = searchParams.get('token')!;
    const shown = (await address.textContent())!;
    expect(shown).toContain(`${host}/share/…?token=${token.slice(0, 6)}…`);
    expect(shown).not.toContain(token.slice(0, 7));
  });

  test('a deck says where it belongs, in the page and in the title of the tab', async () => {
    const { presentationId } = await aDeck('Where am I');
    await stage.enter(stage.owner, `/decks/${presentationId}/links`);
    expect(await stage.page.title()).toBe('Links · Where am I · Deckhost');
    expect(await stage.page.locator('.site-header [aria-current]').textContent()).toBe('Decks');
    await stage.page.locator('main').getByRole('link', { name: 'Decks', exact: true }).click();
    await stage.page.getByRole('heading', { level: 1, name: 'Decks' }).waitFor();
  });

  test('a deck whose links are closed says so, and offers nothing that needs a link', async () => {
    const { presentationId } = await aDeck();
    const expiresAt = new Date(1);
    await stage.world.database.doc(`presentations/${presentationId}`).update({ expiresAt });
    await stage.enter(stage.owner, `/decks/${presentationId}`);
    const facts = stage.page.locator('.facts-list');
    expect(await facts.textContent()).toMatch(/1 open linkExpired /);
    expect(await facts.textContent()).not.toMatch(/share\/|Expires/);
    expect(await stage.page.getByRole('link', { name: 'Share it' }).count()).toBe(0);
  });

  test('the actions of a row near the lower edge are seen on a phone', async () => {
    const { presentationId } = await aDeck();
    await stage.enter(stage.owner, `/decks/${presentationId}/versions`);
    const opener = button('Actions for version 1');
    await opener.waitFor();
    const { y, height } = (await opener.boundingBox())!;
    await stage.page.setViewportSize({ width: 390, height: 844 });
    await stage.page.setViewportSize({ width: 390, height: Math.ceil(y + height) });
    await opener.click();
    for (const shown of each(await item(/./).all())) {
      const box = (await shown.boundingBox())!;
      expect(box.y + box.height).toBeLessThanOrEqual(stage.page.viewportSize()!.height);
    }
  });

  test('a link that was revoked elsewhere is told as such', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/links`);
    await call('unsharePresentation', { presentationId: deck.presentationId, all: true });
    await choose('Actions for the link default', 'Revoke …');
    await button('Revoke link').click();
    await toast('The link “default” was revoked meanwhile.').waitFor();
    await stage.page.getByRole('heading', { name: 'No open link' }).waitFor();
  });

  test('the QR code of a link is a drawing in the page and an SVG file to keep', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/links`);
    await choose('Actions for the link default', 'QR code');
    await stage.page.getByRole('img', { name: 'QR code' }).waitFor();
    const saved = stage.page.waitForEvent('download');
    await button('Download as SVG').click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('default.svg');
    expect(await readFile(await download.path(), 'utf8')).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(stage.viewer.troubles).toEqual([]);
    await stage.page.keyboard.press('Escape');
    await until(stage.page, `document.activeElement.getAttribute('aria-label') === 'Actions for the link default'`);
  });

  test('a version is restored after a question, and downloaded', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/versions`);
    await row('New chart').waitFor();
    await choose('Actions for version 1', 'Restore');
    await dialog().getByRole('button', { name: 'Restore' }).click();
    await toast('Version 1 is restored as version 3.').waitFor();
    await row('Restored from version 1').waitFor();
    expect(await toast('Somebody').count()).toBe(0);
    await toast('Version 1 is restored').getByRole('button', { name: 'Undo' }).click();
    await toast('Version 2 is restored as version 4.').waitFor();
    expect((await info(deck)).version).toBe(4);

    const saved = stage.page.waitForEvent('download');
    await choose('Actions for version 2', 'Download as a zip file');
    const download = await saved;
    expect(download.suggestedFilename()).toBe('Quarterly results-v2.zip');
    const archive = await readFile(await download.path());
    expect(archive.subarray(0, 2).toString()).toBe('PK');
    expect(archive.includes('<h1>Two</h1>')).toBe(true);
  });

  test('a restore of a list that is out of date is refused, and the new version appears', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/versions`);
    await row('New chart').waitFor();
    await stage.world.commit(stage.owner, { presentationId: deck.presentationId, message: 'From elsewhere' }, [
      page('<h1>Two</h1>'),
    ]);
    await choose('Actions for version 1', 'Restore');
    await dialog().getByRole('button', { name: 'Restore' }).click();
    await stage.page.getByRole('alert').getByText('Somebody has changed this meanwhile.').waitFor();
    await row('From elsewhere').waitFor();
    await toast('Somebody has published version 3 meanwhile.').waitFor();
    expect((await info(deck)).version).toBe(3);
  });

  test('a mail needs an address, and goes to each of several', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/mails`);
    await stage.page.getByText('No mail was sent yet.').waitFor();
    await button('Send').click();
    await stage.page.getByText('Enter at least one address.').waitFor();
    await stage.page.getByLabel('To').fill('Grace Hopper <grace.h@example.com>; ada@example.com');
    await button('Send to 2 recipients').click();
    await toast('2 mails sent.').waitFor();
    await stage.page.getByRole('row').filter({ hasText: 'grace.h@example.com' }).getByText('Sent').first().waitFor();
    expect(await stage.world.mails('ada@example.com')).toHaveLength(1);
  });

  test('collaborators are invited and removed; they see what they may do, and can leave', async () => {
    const deck = await aDeck();
    const { presentationId } = deck;
    const other = await stage.world.anOwner();
    await stage.enter(stage.owner, `/decks/${presentationId}/people`);
    await stage.page.getByLabel('Email of the person').fill(other.email);
    await button('Invite').click();
    await toast(`${other.email} may edit this deck now.`).waitFor();
    await stage.page.getByText('May edit', { exact: true }).waitFor();

    await stage.arrive();
    await stage.enter(other, `/decks/${presentationId}`);
    await stage.page.getByText('Shared with you').waitFor();
    const tabs = stage.page.getByRole('navigation', { name: 'Pages of the deck' }).getByRole('link');
    expect(await tabs.allTextContents()).toEqual(['Deck', 'Versions', 'Settings']);
    await stage.page.goto(stage.address(`/decks/${presentationId}/settings`));
    await button('Leave deck').click();
    await dialog().getByRole('button', { name: 'Leave deck' }).click();
    await toast('You have left “Quarterly results”.').waitFor();
    await stage.page.goto(stage.address(`/decks/${presentationId}`));
    await stage.page.getByRole('heading', { name: 'This deck does not exist' }).waitFor();
  });

  test('the title and the expiry change', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/settings`);
    await stage.page.getByLabel('Title').fill('Results of spring');
    await button('Rename').click();
    await stage.page.getByRole('heading', { level: 1, name: 'Results of spring' }).waitFor();
    expect((await info(deck)).title).toBe('Results of spring');

    await stage.page.getByLabel('Date and time').fill('2031-01-31T18:00');
    await button('Set expiry').click();
    await toast(/^The links close January 31, 2031/).waitFor();
    const there = await stage.page.evaluate<string>(`new Date('2031-01-31T18:00').toISOString()`);
    expect((await info(deck)).expiresAt).toBe(there);
    await button('Never expire').click();
    await toast('The links of this deck do not expire.').waitFor();
    expect((await info(deck)).expiresAt).toBeNull();
  });

  test('a deck that was deleted elsewhere is told at the next action', async () => {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/links`);
    await call('deletePresentation', { presentationId: deck.presentationId });
    await stage.page.getByLabel('Name').fill('Too late');
    await button('Add a link').click();
    await stage.page.getByRole('heading', { name: 'This deck does not exist' }).waitFor();
  });
});
