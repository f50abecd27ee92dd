import { recipientKey } from '../../../functions/src/records/recipient-key';
import { labelOfListing, labelOfToken, originOf } from '../../../functions/src/values/deck-origins';
import { atOnce } from '../../support/answers';
import { asksOf, pageAfter, sendAsk } from '../../support/ask';
import { passSeconds } from '../../support/clock';
import { navigation, requestLocally } from '../../support/deck-origin';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import { deck, gateway, owner, someone, startMailing } from '../../support/mailing';
import { world } from '../../support/world';

/** The page on which a person without a link asks for access. It tells nothing of what is behind its address. */

const NOBODY = 'a'.repeat(32);
const label = () => labelOfToken(deck.tokenId);
let asker: string;
startMailing('pro', 'Secret title');
beforeEach(() => {
  asker = someone();
});

describe('the page', () => {
  test('is linked from each origin of a deck that opens nothing, whether the origin exists or not', async () => {
    const { slug } = await world.aListing(await world.aPublisher());
    const origins = [label(), NOBODY].map((each) => [each, originOf(world.cloud.deckOrigin!, each)] as const);
    const texts = [];
    for (const [of, origin] of origins) {
      const { status, text } = await requestLocally(`${origin}/`, { headers: navigation });
      expect([status, text.includes(`href="${world.cloud.hostingUrl}/share/ask/${of}"`)]).toEqual([404, true]);
      texts.push(text.replaceAll(of, 'x').replace(/<code[^>]*>[^<]*/, ''));
    }
    expect(texts[0]).toBe(texts[1]);
    const missing = await requestLocally(`${originOf(world.cloud.deckOrigin!, labelOfListing(slug))}/none.html`, {
      headers: navigation,
    });
    expect([missing.status, missing.text.includes('/share/ask/')]).toEqual([404, false]);
  });

  test('is the same for every label, and reads nothing', async () => {
    const pages: string[] = [];
    const cost = await world.costOf(async () => {
      for (const at of [label(), NOBODY]) {
        const page = await fetch(`${world.cloud.hostingUrl}/share/ask/${at}`);
        expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
        pages.push((await page.text()).replaceAll(at, 'x'));
      }
    });
    expect([pages[0] === pages[1], pages[0]!.includes('<script'), cost.roundTrips]).toEqual([true, false, 0]);
    for (const wrong of each(['abc', 'A'.repeat(32), `${NOBODY}/more`]))
      expect((await fetch(`${world.cloud.hostingUrl}/share/ask/${wrong}`)).status).toBe(404);
  });

  test('answers and costs the same for every label, up to the sent request', async () => {
    // The first instance of a new service makes this key.
    await recipientKey();
    const runs = [];
    for (const [i, of] of [label(), NOBODY].entries()) {
      const email = `same-${i}-${asker}`;
      const found: unknown[] = [];
      let gate = '';
      for (const step of ['first', 'wrong', 'right']) {
        const code = step === 'right' ? await world.mailedCode(email) : '000000';
        const fields = step === 'first' ? { label: of, email, message: 'Hello' } : { label: of, gate, code };
        let sent!: Awaited<ReturnType<typeof sendAsk>>;
        const cost = await world.costOf(async () => void (sent = await sendAsk(world, fields)));
        gate = sent.gate;
        const headers = [...sent.answer.headers.keys()].sort();
        const text = (await pageAfter(sent)).replaceAll(of, 'x').replaceAll(email, 'y').replaceAll(gate, 'z');
        found.push([sent.answer.status, headers, sent.location.length, cost.calls, text]);
      }
      expect((await world.mails(email)).length).toBe(1);
      runs.push(found);
    }
    expect(runs[0]).toEqual(runs[1]);
  });

  test.each([
    ['an address that is none', { email: 'nobody', message: 'Hello' }, 'This is not an email address.'],
    ['a web address', { message: 'See https://evil.example' }, 'without web'],
    ['a name with a dot', { message: 'look at evil.example now' }, 'without web'],
    ['201 characters', { message: 'x'.repeat(201) }, 'Keep the message to 200'],
    ['a control character', { message: 'a\u0007b' }, 'Keep the message to 200'],
  ])('refuses %s, keeps what was typed, and mails nothing', async (_what, fields, problem) => {
    const typed = { email: asker, ...fields };
    const page = await pageAfter(await sendAsk(world, { label: label(), ...typed }));
    expect([page.includes(problem), page.includes(`value="${typed.email}"`), page.includes('aria-invalid')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(await world.mails(asker)).toEqual([]);
  });

  test('starts again after 10 minutes', async () => {
    const { gate } = await sendAsk(world, { label: label(), email: asker });
    const code = await world.mailedCode(asker);
    passSeconds(601);
    expect(await pageAfter(await sendAsk(world, { label: label(), gate, code }))).toContain('Please start again');
  });
});

describe('the code', () => {
  test('is mailed in the name of the service, is for one label, and makes one request', async () => {
    const { gate } = await sendAsk(world, { label: label(), email: asker });
    const [mail] = await world.mails(asker);
    expect([mail!.text.includes('Secret'), mail!.html.includes(owner.email)]).toEqual([false, false]);
    expect(gateway.calls[0]!.mails[0]!['headers']).toMatchObject({
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    const code = await world.mailedCode(asker);
    const other = await sendAsk(world, { label: NOBODY, email: asker });
    expect(await pageAfter(await sendAsk(world, { label: NOBODY, gate: other.gate, code }))).toContain(
      'This code is wrong',
    );
    const pages = await atOnce(3, async () => pageAfter(await sendAsk(world, { label: label(), gate, code })));
    expect(pages.filter((page) => page.includes('Your request is sent'))).toHaveLength(1);
    await runJob('notifyOwners');
    const stored = await asksOf(world, asker);
    expect(stored.map((each) => each.get('label'))).toEqual([label()]);
  });
});
