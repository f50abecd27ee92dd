import type { Route } from 'playwright-core';
import { page, type Account } from '../support/world';
import { describeInBrowser, soon } from './browser';
import { aVersion, type DashboardStage } from './dashboard';

/** An account of its own, and a deck with two versions. */
interface Scene {
  owner: Account;
  id: string;
}

async function aScene(stage: DashboardStage): Promise<Scene> {
  const owner = await stage.world.aPublisher();
  const { presentationId } = await stage.world.aPushedDeck(owner, [page('<h1>One</h1>')], 'Results');
  await aVersion(stage.world, owner, presentationId, [page('<h1>Two</h1>')]);
  return { owner, id: presentationId };
}

const infoOf = (stage: DashboardStage, { owner, id }: Scene) => stage.info({ presentationId: id }, owner);
/** How many links of the deck have that name. */
const linksOf = async (stage: DashboardStage, scene: Scene, named: string) =>
  (await infoOf(stage, scene)).tokens.filter(({ name }) => name === named).length;

/** Notes the idempotency key of each call of an endpoint, and answers each call as `answer` does. */
async function intercept({ page: opened }: DashboardStage, name: string, answer: (route: Route) => Promise<void>) {
  const calls: string[] = [];
  await opened.route(`**/${name}`, (route) => {
    calls.push(route.request().headers()['idempotency-key'] ?? '');
    return answer(route);
  });
  return { calls, end: () => opened.unroute(`**/${name}`) };
}

/** The service does the work, and a server between it and the page answers that it does not know of an end. */
async function lose(route: Route): Promise<void> {
  if (route.request().postData()?.includes('"dryRun":true')) return route.continue();
  const response = await route.fetch();
  const headers = { ...response.headers(), 'content-type': 'text/plain', 'retry-after': '3600' };
  await route.fulfill({ status: 503, headers, body: '' });
}

interface Action {
  endpoint: string;
  path: (scene: Scene) => string;
  fill: () => Promise<unknown>;
  press: () => Promise<unknown>;
  /** The field with what must still be typed after the failure. */
  typed?: string;
  /** How the page tells the failure. Default: an alert. */
  failed?: () => Promise<unknown>;
  /** What the person presses then. Default: the same as before. */
  again?: () => Promise<unknown>;
  said: () => Promise<unknown>;
  count: (scene: Scene) => Promise<number>;
}

/** What people do on the pages of the dashboard. */
function actionsOf(stage: DashboardStage): Record<string, Action> {
  const { button, dialog, field, heading, read, text, toast, world } = stage;
  const press = (name: string | RegExp) => () => button(name, true).dblclick();
  return {
    'a link is added': {
      endpoint: 'addPresentationToken',
      path: ({ id }) => `/decks/${id}/links`,
      fill: () => field('Name', true).fill('Board'),
      press: press('Add a link'),
      typed: 'Name',
      said: () => toast(/Board/).waitFor(),
      count: (scene) => linksOf(stage, scene, 'Board'),
    },
    'a mail is sent': {
      endpoint: 'sharePresentationViaEmail',
      path: ({ id }) => `/decks/${id}/mails`,
      fill: () => field('To', true).fill('once@example.com'),
      press: press(/^Send/),
      typed: 'To',
      said: () => toast(/mail sent/).waitFor(),
      count: async () => (await world.mails('once@example.com')).length,
    },
    'a key is created': {
      endpoint: 'createApiKey',
      path: () => '/keys',
      fill: () => stage.press('Create a key').then(() => field('Name', true).fill('Build')),
      press: () => dialog().getByRole('button', { name: 'Create a key' }).dblclick(),
      typed: 'Name',
      // No second answer has the text of a key.
      said: () => text('its answer was lost on the way').waitFor(),
      count: async ({ owner }) => {
        const key = await world.aDashboardSession(owner);
        const { keys } = await read<{ keys: { name: string }[] }>('listApiKeys', {}, { key });
        return keys.filter(({ name }) => name === 'Build').length;
      },
    },
    'a listing is published': {
      endpoint: 'publishMarketplaceListing',
      path: ({ id }) => `/decks/${id}/marketplace`,
      fill: () => field('Description', true).fill('Revenue and costs.'),
      press: press('Publish in the marketplace'),
      // The page reads the listing, and offers to change it.
      failed: () => button('Update listing').waitFor(),
      again: press('Update listing'),
      said: () => toast('The listing is updated.').first().waitFor(),
      count: async ({ owner }) => {
        const { docs } = await world.database.collection('listings').get();
        return docs.filter((listing) => listing.get('ownerId') === owner.userId).length;
      },
    },
    'a deck is published': {
      endpoint: 'commitPresentationVersion',
      path: () => '/new',
      fill: () => stage.choosePage('<title>New</title><h1>New</h1>'),
      press: () => button('Publish', true).click(),
      again: () => button('Try again').click(),
      said: () => heading('Your deck is online').waitFor(),
      count: async ({ owner }) =>
        (await read<{ presentations: object[] }>('listMyPresentations', {}, owner)).presentations.length - 1,
    },
  };
}

/** Demands that each of these actions is done once, however often its button is pressed. */
export function proveActions(stage: DashboardStage, names = Object.keys(actionsOf(stage))): void {
  describeInBrowser('an action is done once', () => {
    test.each(names)('%s: a double press, and another one after a lost answer', async (name) => {
      const action = actionsOf(stage)[name]!;
      const scene = await aScene(stage);
      await stage.enter(scene.owner, action.path(scene));
      await action.fill();
      const typed = () => action.typed && stage.field(action.typed, true).inputValue();
      const before = await typed();
      const { calls, end } = await intercept(stage, action.endpoint, lose);
      await action.press();
      await (action.failed?.() ?? stage.page.locator('[role=alert]:not([hidden])').first().waitFor());
      await stage.settle();
      expect(await typed()).toBe(before);
      if (action.typed) expect(calls).toHaveLength(1);
      await end();
      await (action.again ?? action.press)();
      await stage.settle();
      await action.said();
      await stage.settle();
      await soon(async () => expect(await action.count(scene)).toBe(1));
    });
  });
}

/** Demands that what failed is done when it is tried again, once. */
export function proveFailedActions(stage: DashboardStage): void {
  const { field, text, toast } = stage;
  describeInBrowser('a failed action', () => {
    const enter = async (tab: string) => {
      const scene = await aScene(stage);
      await stage.enter(scene.owner, `/decks/${scene.id}/${tab}`);
      return scene;
    };

    test('the same input is a new wish after a success, and another input after a failure', async () => {
      const scene = await enter('links');
      const lost = await intercept(stage, 'addPresentationToken', lose);
      await stage.fill({ Name: 'Board' }, 'Add a link', stage.alert());
      await lost.end();
      for (const name of ['Press', 'Board']) await stage.fill({ Name: name }, 'Add a link', toast(name));
      expect([await linksOf(stage, scene, 'Board'), await linksOf(stage, scene, 'Press')]).toEqual([2, 1]);
    });

    test('an answer that the connection loses is asked for again: a restored version makes no conflict with itself', async () => {
      const scene = await enter('versions');
      let lost = 0;
      const { calls } = await intercept(stage, 'restorePresentationVersion', async (route) => {
        if (lost++ > 0) return route.continue();
        await route.fetch();
        await route.abort('connectionreset');
      });
      await stage.choose('Actions for version 1', 'Restore');
      await stage.answer('Restore', toast('Version 1 is restored as version 3.'));
      const { version } = await stage.info({ presentationId: scene.id }, scene.owner);
      expect([new Set(calls).size, calls.length, version]).toEqual([1, 2, 3]);
    });

    test('a lost connection is said, what was typed stays, and the work is done when it is back', async () => {
      const scene = await enter('links');
      await field('Name').fill('Board');
      await stage.viewer.context.setOffline(true);
      await stage.press('Add a link', text('This device is offline.'));
      await soon(async () => expect(await field('Name').inputValue()).toBe('Board'));
      await stage.viewer.context.setOffline(false);
      await toast(/Board/).waitFor();
      await soon(async () => expect(await text('This device is offline.').isVisible()).toBe(false));
      expect(await linksOf(stage, scene, 'Board')).toBe(1);
    });
  });
}
