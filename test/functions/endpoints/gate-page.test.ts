import { succeed, world } from '../../support/world';
import { owner, deck, set, startGatedDeck } from './gated-deck';

/** The logo at the gate of a link, and what a mail tells about the gate. */

startGatedDeck();

test('shows the logo of the organization, which opens while the link does', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>';
  const logo = { data: Buffer.from(svg).toString('base64'), contentType: 'image/svg+xml' };
  await succeed(world.call('updateOrganization', { logo }, { key: await world.aDashboardSession(owner) }));
  await set({ passcode: 'orchid-47' });
  const text = await (await fetch(deck.shareUrl)).text();
  const address = /<img class="logo"[^>]* src="([^"]+)"/.exec(text)![1]!;
  const shown = await fetch(address);
  expect([shown.status, shown.headers.get('content-type'), await shown.text()]).toEqual([200, 'image/svg+xml', svg]);
  expect(shown.headers.get('content-security-policy')).toContain('sandbox');
  await succeed(
    world.call('unsharePresentation', { presentationId: deck.presentationId, all: true }, { key: owner.key }),
  );
  expect((await fetch(address)).status).toBe(403);
});

test('the mail with a link says when it expires, and for whom it opens, also in its preview', async () => {
  const { presentationId } = deck;
  const rules = { expiresAt: '2031-01-01T12:00:00.000Z', requireEmail: true };
  const email = `reader-${owner.keyId}@reader.example`;
  const preview = await succeed(
    world.call<{ text: string }>('previewShareEmail', { presentationId, ...rules }, { key: owner.key }),
  );
  await succeed(
    world.call('sharePresentationViaEmail', { presentationId, emails: [email], ...rules }, { key: owner.key }),
  );
  const [mail] = await world.mails(email);
  for (const text of [preview.text, mail!.text, mail!.html]) {
    expect(text).toContain('opens only with a code');
    expect(text).toContain('It opens until 1 January 2031, 12:00 UTC.');
  }
});
