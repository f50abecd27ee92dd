import { readFile } from 'node:fs/promises';
import type { Locator, Route } from 'playwright-core';
import { readDropped } from '../../client/src/browser/read-dropped';
import { each } from '../support/each';
import { page, type Deck } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { aVersion, type DashboardStage } from './dashboard';

/** What tests do on the pages of a deck. */
function deckPagesOn(stage: DashboardStage) {
  const { choose, dialog, press, toast } = stage;
  const tabs = () => stage.page.getByRole('navigation', { name: 'Pages of the deck' }).getByRole('link');

  /** A deck with two versions, pushed as a client pushes it. */
  async function aDeck(title = 'Quarterly results'): Promise<Deck> {
    const deck = await stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], title);
    await aVersion(stage.world, stage.owner, deck.presentationId, [page('<h1>Two</h1>')], 'New chart');
    return deck;
  }
  /** Opens a page of a new deck as its owner. */
  async function enter(tab: string): Promise<Deck> {
    const deck = await aDeck();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}${tab}`);
    return deck;
  }
  const rename = async (link: string, name: string) => {
    await choose(`Actions for the link ${link}`, 'Edit …');
    await dialog().getByLabel('Name').fill(name);
    await press('Save', toast(`The link “${name}” is changed.`));
  };
  const savedBy = async (act: () => Promise<void>) => {
    const [download] = await Promise.all([stage.page.waitForEvent('download'), act()]);
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  };
  const undo = (said: string, shown: Locator) => press(toast(said).getByRole('button', { name: 'Undo' }), shown);
  const change = ({ presentationId }: Deck, fields: object) =>
    stage.world.database.doc(`presentations/${presentationId}`).update(fields);

  return { aDeck, change, enter, rename, savedBy, tabs, undo };
}

/** The page with the links of a deck. */
export function proveLinksPage(stage: DashboardStage): void {
  const { answer, choose, dialog, fill, info, press, row, text, toast } = stage;
  const { enter, rename, savedBy, undo } = deckPagesOn(stage);

  describeInBrowser('the links of a deck', () => {
    test('are added, edited and revoked, and each change can be undone or is asked about', async () => {
      const deck = await enter('/links');
      await fill({ Name: 'Board' }, 'Add a link', row('Board'));
      const board = async () => (await info(deck)).tokens.find(({ name }) => name.startsWith('Board'))!;
      const { shareUrl } = await board();
      expect(await stage.world.visit(shareUrl)).toBe(200);

      await rename('Board', 'Board of 2031');
      await undo('Board of 2031', toast('The link “Board” is changed.'));
      expect((await board()).name).toBe('Board');

      await choose('Actions for the link Board', 'Edit …');
      await dialog().getByLabel('Shows').selectOption({ label: 'Only version 1' });
      await dialog().getByLabel('Expires').selectOption({ label: 'In 7 days' });
      await dialog().getByLabel('Has a short address').check();
      await press('Save', row('Board').getByText('Expires in 7 days'));
      const { versionMode, expiresAt, shortUrl } = await board();
      expect(versionMode).toEqual({ type: 'pinned', version: 1 });
      await soon(async () => expect(await row('Board').getByRole('link').getAttribute('href')).toBe(shortUrl));
      await text('The same from a terminal').click();
      const command = await stage.page.locator('.command-strip pre').textContent();
      const [set, pin] = [`deck links set \\S+ --expires ${expiresAt} --short`, 'deck links pin \\S+ 1'];
      expect(command).toMatch(new RegExp([set, pin].map((each) => `${each} --deck ${deck.presentationId}`).join('\n')));

      await choose('Actions for the link Board', 'Revoke …');
      await answer('Cancel');
      expect(await stage.world.visit(shareUrl)).toBe(200);
      await choose('Actions for the link Board', 'Revoke …');
      await press('Revoke link', toast('The link “Board” is revoked.'));
      expect(await stage.world.visit(shareUrl)).toBe(403);
      await text('1 revoked link').waitFor();
    });

    test('are known by a part of their address, open it, and have a QR code, which is an SVG file to keep', async () => {
      const { shareUrl, token } = await enter('/links');
      const address = row('default').getByRole('link');
      await soon(async () => expect(await address.getAttribute('href')).toBe(shareUrl));
      const shown = (await address.textContent())!;
      expect(shown).toContain(`${new URL(shareUrl).host}/share/…?token=${token.slice(0, 6)}…`);
      expect(shown).not.toContain(token.slice(0, 7));

      await choose('Actions for the link default', 'QR code', stage.page.getByRole('img', { name: 'QR code' }));
      const { name, bytes } = await savedBy(() => press('Download as SVG'));
      expect([name, bytes.toString()]).toEqual(['default.svg', expect.stringMatching(/^<svg xmlns="http:[\w./]+"/)]);
      expect(stage.troubles).toEqual([]);
      await stage.page.keyboard.press('Escape');
      await until(stage.page, `document.activeElement.getAttribute('aria-label') === 'Actions for the link default'`);
    });
  });
}

/** The rules of links, and the other pages of a deck, also of one that changed elsewhere, expired or was taken down. */
export function proveDeckPages(stage: DashboardStage): void {
  const { answer, button, call, choose, dialog, field, fill, heading, info, press, row, text, toast } = stage;
  const { aDeck, change, enter, rename, savedBy, tabs, undo } = deckPagesOn(stage);

  describeInBrowser('the links of a deck', () => {
    test('have rules, which their rows tell, and a passcode stands nowhere once it is sent', async () => {
      const deck = await enter('/links');
      const { presentationId } = deck;
      const board = async () => (await info(deck)).tokens.find(({ name }) => name === 'Board')!;
      const passcode = () => stage.page.getByLabel('Passcode', { exact: true }).last();
      const typed = 'Passcode for the readers';
      await press(stage.page.locator('summary', { hasText: 'Rules' }));
      await passcode().selectOption({ label: 'A passcode' });
      const wrong = stage.page.locator('.field .error', { hasText: 'at least two different ones' });
      await fill({ Name: 'Board', [typed]: 'aaaaaa', 'Opens at most': '2000000' }, 'Add a link', wrong);
      await text('At most 1,000,000.').first().waitFor();
      await fill(
        { [typed]: 'orchid-47', 'Opens at most': '2' },
        'Add a link',
        row('Board').getByText('Passcode · 2 of 2 openings left'),
      );
      expect(await board()).toMatchObject({ hasPasscode: true, maxOpenings: 2 });
      await text('The same from a terminal').click();
      await text(`deck links add Board --passcode --max-openings 2 --deck ${presentationId}`).waitFor();
      await press('API', text('"passcode":"…"'));

      await choose('Actions for the link Board', 'Edit …', dialog());
      await passcode().selectOption({ label: 'A new passcode' });
      await dialog().getByLabel(typed).fill('orchid-48');
      await press('Save', toast('The link “Board” is changed.'));
      await soon(async () => expect(await button('Undo').count()).toBe(0));
      const kept =
        '[document.documentElement.outerHTML, ...[localStorage, sessionStorage].map((of) => JSON.stringify(of))]';
      expect(String(await stage.page.evaluate(kept))).not.toMatch(/orchid|aaaaaa/);

      const people = dialog().getByLabel('Only for these people');
      await choose('Actions for the link Board', 'Edit …', dialog());
      await passcode().selectOption({ label: 'None' });
      await dialog().getByLabel('Opens at most').fill('1');
      await people.fill('@example.com, Grace@example.org');
      await press('Save', row('Board').getByText('1 of 1 opening left · Only for 2 addresses'));
      await choose('Actions for the link Board', 'Edit …', dialog());
      await soon(async () => expect(await people.inputValue()).toBe('@example.com\ngrace@example.org'));
      await people.fill('');
      await press('Save', row('Board').getByText('1 of 1 opening left').filter({ hasNotText: 'Only' }));

      const token = new URL((await board()).shareUrl).searchParams.get('token');
      await call('openShareLink', { presentationId, token });
      await stage.page.reload();
      await row('Board').getByText('Used up: opened 1 time').waitFor();
      await press('Allow more openings', dialog());
      await dialog().getByLabel('Opens at most').fill('3');
      await press('Save', row('Board').getByText('2 of 3 openings left'));
      expect(stage.troubles.filter((trouble) => !/400|addPresentationToken/.test(trouble))).toEqual([]);
    });

    test('are renamed after their expiry, and stay closed', async () => {
      const deck = await enter('/links');
      const only = async () => (await info(deck)).tokens[0]!;
      const stored = `presentations/${deck.presentationId}/shareTokens/${(await only()).tokenId}`;
      await stage.world.database.doc(stored).update({ expiresAt: new Date(1) });
      await stage.page.reload();
      await rename('default', 'Board');
      expect(Date.parse((await only()).expiresAt)).toBe(1);
    });

    test('are renamed back also while the page reads the deck again', async () => {
      const deck = await enter('/links');
      const held: Route[] = [];
      await stage.page.route(/\/getSharedPresentationInfo/, (route) => void held.push(route));
      await rename('default', 'Board');
      await undo('“Board”', toast('The link “default” is changed.'));
      expect((await info(deck)).tokens.map(({ name }) => name)).toEqual(['default']);
      await Promise.all(held.map((route) => route.abort()));
    });

    test('of mails are one line below the others, and the personal link of a mail is not offered to copy', async () => {
      const deck = await aDeck();
      const { presentationId } = deck;
      // A recipient gets few mails a day, and the other tests write to others.
      const emails = ['katherine@example.com', 'a@example.com', 'b@example.com'];
      await call('sharePresentationViaEmail', { presentationId, emails });
      await stage.enter(stage.owner, `/decks/${presentationId}/links`);
      const summary = text('3 emailed links, 0 opened');
      await summary.waitFor();
      await soon(async () => expect(await stage.page.locator('.row:visible').count()).toBe(1));
      await press(summary, row('b@example.com'));
      await soon(async () => expect(await stage.page.locator('.row:visible').count()).toBe(4));

      await tabs().first().click();
      await soon(async () => expect(await stage.link('Open').getAttribute('href')).toBe(deck.shareUrl));
      const { tokens } = await info(deck);
      const { tokenId } = tokens.find(({ shareUrl }) => shareUrl === deck.shareUrl)!;
      await call('unsharePresentation', { presentationId, tokenId });
      const mailed = tokens.find(({ name }) => name === 'katherine@example.com')!;
      await call('updateShareToken', { presentationId, tokenId: mailed.tokenId, name: 'Grace' });
      await stage.page.reload();
      await text('This deck has no link to share.').waitFor();
      await soon(async () => expect(await button('Copy link').count()).toBe(0));

      await stage.open(`/decks/${presentationId}/versions`);
      await button('Publish a new version').click();
      await stage.choosePage('<h1>Three</h1>');
      await press('Publish version', heading('Version 3 is online'));
      await soon(async () => expect(await field('Link').count()).toBe(0));
    });

    test('that were revoked elsewhere are told as such, and so is a deck that was deleted elsewhere', async () => {
      const { presentationId } = await enter('/links');
      await call('unsharePresentation', { presentationId, all: true });
      await choose('Actions for the link default', 'Revoke …');
      await press('Revoke link', toast('The link “default” has already been revoked.'));
      await heading('No open links').waitFor();
      await call('deletePresentation', { presentationId });
      await fill({ Name: 'Too late' }, 'Add a link', heading('This deck does not exist'));
    });
  });

  describeInBrowser('the versions of a deck', () => {
    test('are restored after a question, and downloaded', async () => {
      const deck = await enter('/versions');
      await choose('Actions for version 1', 'Restore');
      // It can be undone.
      await soon(async () => expect(await dialog().locator('.danger').count()).toBe(0));
      await answer('Restore', toast('Version 1 is restored as version 3.'));
      await row('Restored from version 1').waitFor();
      await soon(async () => expect(await toast('Somebody').count()).toBe(0));
      await undo('Version 1 is restored', toast('Version 2 is restored as version 4.'));
      expect((await info(deck)).version).toBe(4);

      const { name, bytes } = await savedBy(() => choose('Actions for version 2', 'Download as a zip file'));
      const { files, refused } = await readDropped([new File([bytes], name)]);
      const read = await Promise.all(files.map(async ({ path, blob }) => [path, await blob.text()]));
      const whole = [['index.html', page('<h1>Two</h1>').bytes.toString()]];
      expect([name, read, refused]).toEqual(['Quarterly results-v2.zip', whole, []]);
      const command = `deck pull ${deck.presentationId} ./version-2 --version 2`;
      await press(text('The same from a terminal'), text(command));
    });

    test('show their actions at the lower edge of a phone, and are not restored from a list that is out of date', async () => {
      const deck = await enter('/versions');
      const { presentationId } = deck;
      const opener = button('Actions for version 1');
      const { y, height } = (await opener.boundingBox())!;
      await stage.page.setViewportSize({ width: 390, height: 844 });
      await stage.page.setViewportSize({ width: 390, height: Math.ceil(y + height) });
      await opener.click();
      for (const shown of each(await stage.page.getByRole('menuitem').all())) {
        const box = (await shown.boundingBox())!;
        expect(box.y + box.height).toBeLessThanOrEqual(stage.page.viewportSize()!.height);
      }
      await stage.page.keyboard.press('Escape');
      await stage.page.setViewportSize({ width: 1280, height: 800 });

      await stage.world.commit(stage.owner, { presentationId, message: 'From elsewhere' }, [page('<h1>Two</h1>')]);
      await choose('Actions for version 1', 'Restore');
      await answer(
        'Restore',
        stage.page.getByRole('alert').getByText('Somebody else has changed this in the meantime.'),
      );
      await row('From elsewhere').waitFor();
      await toast('Somebody else has published version 3.').waitFor();
      expect((await info(deck)).version).toBe(3);
    });
  });

  describeInBrowser('the people of a deck', () => {
    test('are invited and removed after a question; they see what they may do, and can leave', async () => {
      const deck = await aDeck();
      const { presentationId } = deck;
      const [leaving, other] = [await stage.world.anOwner(), await stage.world.anOwner()];
      await stage.world.addMember(deck, other);
      await call('inviteCollaborator', { presentationId, email: 'waiting@example.com' });
      const precheck = async () =>
        (await stage.world.call('precheckAssets', { presentationId, hashes: [] }, { key: other.key })).status;
      await stage.enter(stage.owner, `/decks/${presentationId}/people`);
      await fill({ 'Email of the person': leaving.email }, 'Invite', toast(`${leaving.email} can now edit this deck.`));
      await row(leaving.email).getByText('Can edit', { exact: true }).waitFor();

      const person = row(other.email);
      await press(person.getByRole('button'));
      await answer('Cancel');
      expect(await precheck()).toBe(200);
      await press(person.getByRole('button'));
      await answer('Remove', toast('can no longer edit this deck.'));
      expect(await precheck()).toBe(403);
      await person.getByText('Removed', { exact: true }).waitFor();
      await soon(async () => expect(await person.getByRole('button').count()).toBe(0));
      await button('Withdraw the invitation of waiting@example.com').click();
      await answer('Withdraw', toast('waiting@example.com can no longer edit this deck.'));
      expect(stage.troubles).toEqual([]);

      await stage.arrive();
      await stage.enter(leaving, `/decks/${presentationId}`);
      await text('Shared with you').waitFor();
      await soon(async () => expect(await tabs().allTextContents()).toEqual(['Deck', 'Versions', 'Settings']));
      await stage.open(`/decks/${presentationId}/settings`);
      await button('Leave deck').click();
      await answer('Leave deck', toast('You have left “Quarterly results”.'));
      await stage.page.goto(stage.address(`/decks/${presentationId}`));
      await heading('This deck does not exist').waitFor();
    });
  });

  describeInBrowser('the settings of a deck', () => {
    test('change its title, which the tab shows with the place; set an expiry, and refuse one in the past', async () => {
      const deck = await enter('/settings');
      const unseen = 'A title needs a character that people can see.';
      await fill({ Title: '\u3164' }, 'Rename', text(unseen));
      await field('Title').fill('a\u202eb');
      await text('A character that changes the direction of the text must be closed in the same line.').waitFor();
      await fill({ Title: 'Results of spring' }, 'Rename', heading('Results of spring', 1));
      expect((await info(deck)).title).toBe('Results of spring');
      expect(await stage.page.title()).toBe('Settings · Results of spring · Deckhost');
      await soon(async () =>
        expect(await stage.page.locator('.site-header [aria-current]').textContent()).toBe('Decks'),
      );

      const date = field('Date and time');
      const sent = await stage.requestsOf(/setPresentationExpiry/, async () => {
        await date.fill('2020-01-31T18:00');
        await press('Set expiry', text('This time has passed: choose a later one.'));
      });
      await soon(async () => expect([await date.getAttribute('aria-invalid'), sent]).toEqual(['true', []]));
      await date.fill('2031-01-31T18:00');
      await soon(async () => expect(await text('This time has passed').count()).toBe(0));
      await stage.call('renamePresentation', { presentationId: deck.presentationId, title: 'Named elsewhere' });
      await press('Set expiry', toast(/^The links close January 31, 2031/));
      await soon(async () => expect(await field('Title').inputValue()).toBe('Named elsewhere'));
      const there = await stage.page.evaluate<string>(`new Date('2031-01-31T18:00').toISOString()`);
      expect((await info(deck)).expiresAt).toBe(there);
    });

    test('open the links again after the expiry, until when its pages offer nothing that needs a link', async () => {
      const deck = await aDeck();
      await change(deck, { expiresAt: new Date(1) });
      await stage.enter(stage.owner, `/decks/${deck.presentationId}`);
      const facts = (await stage.page.locator('.facts-list').textContent())!;
      expect(facts).toMatch(/1 open linkExpired /);
      expect(facts).not.toMatch(/share\/|Expires/);
      await soon(async () => expect(await stage.link('Share it').count()).toBe(0));
      await stage.open(`/decks/${deck.presentationId}/settings`);
      const said = text('The links of this deck no longer open.');
      await said.waitFor();
      await press('Never expire', toast('The links of this deck do not expire.'));
      // The service takes no time in the past: there is nothing to undo.
      await soon(async () =>
        expect(await toast('do not expire').getByRole('button', { name: 'Undo' }).count()).toBe(0),
      );
      expect((await info(deck)).expiresAt).toBeNull();
      await soon(async () => expect([await said.count(), stage.troubles]).toEqual([0, []]));
    });

    test('of a deck that was taken down say why, show nothing of it and no link to hand out', async () => {
      const deck = await aDeck('Taken');
      const reason = 'Phishing <b>x</b>';
      await change(deck, { takedown: { at: new Date(), reason } });
      await stage.enter(stage.owner, `/decks/${deck.presentationId}`);
      const said = text(`An operator of the service closed all links of this deck: ${reason}`);
      await said.waitFor();
      await stage.page.locator('.label').getByText('Taken down', { exact: true }).waitFor();
      await soon(async () => expect(await button('Show it here').count()).toBe(0));
      await stage.open('/decks');
      await stage.page.getByText('Taken down', { exact: true }).waitFor();
      await stage.open(`/decks/${deck.presentationId}/settings`);
      await said.waitFor();
      expect(stage.troubles).toEqual([]);
    });
  });
}
