import { labelOfToken } from '../../../functions/src/values/deck-origins';
import { atOnce } from '../../support/answers';
import { aClient, pageAfter, sendAsk } from '../../support/ask';
import { passSeconds } from '../../support/clock';
import { deck, someone, startMailing } from '../../support/mailing';
import { world } from '../../support/world';

/** How often the page on which people ask for access mails a code. */

startMailing('pro', 'Secret title');

let asker: string;
beforeEach(() => {
  asker = someone();
});
const label = () => labelOfToken(deck.tokenId);

describe('the code', () => {
  test('is mailed 3 times an hour, 10 times an hour and client, and never to an address that stopped all mails', async () => {
    const ask = (email: string, client?: string) => sendAsk(world, { label: label(), email }, client);
    expect(await pageAfter(await ask(asker))).toContain('Send a new code');
    await ask(asker);
    const full = await pageAfter(await ask(asker));
    expect([full.includes('You can have a new code in 60 minutes.'), full.includes('Send a new code')]).toEqual([
      true,
      false,
    ]);
    await ask(asker);
    expect((await world.mails(asker)).length).toBe(3);
    const stop = /https?:\/\/\S+\/mail\/[\w-]+/.exec((await world.mails(asker))[0]!.text)![0];
    expect(await (await fetch(stop)).text()).not.toContain('Report this email');
    await fetch(`${stop}?choice=all`, { method: 'POST' });
    passSeconds(3601);
    expect(await pageAfter(await ask(asker))).toContain('A code is on its way');
    expect((await world.mails(asker)).length).toBe(3);
    const client = aClient();
    const statuses = await atOnce(11, async (i) => (await ask(`${i}-${asker}`, client)).answer.status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });
});
