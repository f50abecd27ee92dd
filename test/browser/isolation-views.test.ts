import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { passSeconds } from '../support/clock';
import { navigation, requestLocally } from '../support/deck-origin';
import { succeed } from '../support/world';
import { describeInBrowser } from './browser';
import { everyVisit } from './hostile-origin';
import { Siblings } from './siblings';

let siblings: Siblings;

describeInBrowser('the views of decks', () => {
  beforeAll(async () => {
    siblings = await Siblings.start();
  });
  afterAll(() => siblings?.stop());
  beforeEach(() => siblings.arrive());
  afterEach(() => siblings.viewer.leave());

  const views = async () => {
    const { world, owner, victim } = siblings;
    const options = { key: owner.key, query: { presentationId: victim.presentationId } };
    return (await succeed(world.call<{ totalViews: number }>('getSharedPresentationInfo', undefined, options)))
      .totalViews;
  };
  /** Resolves when a server of this process has ended a request for the entry of that origin. */
  const answered = (origin: string) =>
    new Promise<void>((resolve) => {
      const channel = 'http.server.request.start';
      const onStart = (message: unknown) => {
        const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
        if (`http://${request.headers.host}` !== origin || request.url!.split('?')[0] !== '/') return;
        unsubscribe(channel, onStart);
        // The browser may close the connection before it has read the answer.
        response.once('close', resolve);
      };
      subscribe(channel, onStart);
    });
  /** How many views an attempt of the attacker adds to those of the victim. */
  const counted = async (visit: string) => {
    const before = await views();
    const done = answered(siblings.origins.victim);
    await siblings.page.evaluate(`{ visits.${visit}(${JSON.stringify(siblings.origins.victim)}); }`);
    await done;
    const cookie = `__Host-deck=${await siblings.grantOf(siblings.origins.victim)}`;
    // This request counts one view.
    await requestLocally(`${siblings.origins.victim}/`, { headers: { ...navigation, cookie } });
    return (await views()) - before - 1;
  };

  test('no request of another deck counts a view of this one', async () => {
    const added: Record<string, number> = {};
    for (const visit of everyVisit) {
      passSeconds(61);
      await siblings.viewer.closeWindows();
      await siblings.page.goto(`${siblings.origins.attacker}/`);
      added[visit] = await counted(visit);
    }
    expect(added).toEqual(Object.fromEntries(everyVisit.map((visit) => [visit, 0])));
  });

  test('a frame counts none, even when this deck has just been opened', async () => {
    const counts = [];
    for (const visit of ['frame', 'object', 'embed']) counts.push(await counted(visit));
    expect(counts).toEqual([0, 0, 0]);
  });
});
