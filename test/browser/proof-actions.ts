import type { Route } from 'playwright-core';
import { page } from '../support/world';
import type { Account } from '../support/world';
import { describeInBrowser } from './browser';
import { DashboardStage } from './dashboard';

export const stage = new DashboardStage();
export const button = (name: string | RegExp) => stage.page.getByRole('button', { name, exact: true });
export const field = (name: string) => stage.page.getByLabel(name, { exact: true });
export const dialog = () => stage.page.getByRole('dialog');
export const toast = (text: string | RegExp) => stage.page.locator('.toast').filter({ hasText: text });
export const alert = () => stage.page.locator('[role=alert]:not([hidden])');

const read = async <T>(name: string, query: Record<string, string>, { key }: { key: string }) =>
  (await stage.world.call<T>(name, undefined, { key, query, method: 'GET' })).data;

/** An account of its own, and a deck with two versions. */
interface Scene {
  owner: Account;
  id: string;
}

export async function aScene(): Promise<Scene> {
  const owner = await stage.world.aPublisher();
  const { presentationId } = await stage.world.aPushedDeck(owner, [page('<h1>One</h1>')], 'Results');
  const second = [page('<h1>Two</h1>')];
  await stage.world.uploadAll(owner, { presentationId }, second);
  await stage.world.commit(owner, { presentationId }, second);
  return { owner, id: presentationId };
}

interface Info {
  version: number;
  tokens: { name: string; revoked: boolean }[];
}
export const info = ({ owner, id }: Scene) => read<Info>('getSharedPresentationInfo', { presentationId: id }, owner);
export const links = async (scene: Scene, named: string) =>
  (await info(scene)).tokens.filter(({ name }) => name === named).length;
const decks = async ({ owner }: Scene) =>
  (await read<{ presentations: object[] }>('listMyPresentations', {}, owner)).presentations.length;

/** Counts the calls of an endpoint, and answers each as `answer` does. */
export async function intercept(name: string, answer: (route: Route) => Promise<void>) {
  const calls: string[] = [];
  const address = new RegExp(`/${name}$`);
  await stage.page.route(address, (route) => {
    calls.push(route.request().headers()['idempotency-key'] ?? '');
    return answer(route);
  });
  return { calls, end: () => stage.page.unroute(address) };
}

/** The service does the work, and a server between it and the page answers that it does not know of an end. */
export async function lose(route: Route): Promise<void> {
  const response = await route.fetch();
  const headers = { ...response.headers(), 'content-type': 'text/plain', 'retry-after': '3600' };
  await route.fulfill({ status: 503, headers, body: '' });
}

interface Action {
  endpoint: string;
  path: (scene: Scene) => string;
  fill: () => Promise<unknown>;
  press: () => Promise<unknown>;
  /** What must still be typed after the failure. */
  typed?: () => Promise<unknown>;
  /** How the page tells the failure. Default: an alert. */
  failed?: () => Promise<unknown>;
  /** What the person presses then. Default: the same as before. */
  again?: () => Promise<unknown>;
  said: () => Promise<unknown>;
  count: (scene: Scene) => Promise<number>;
}

const file = { name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('<title>New</title><h1>New</h1>') };
const retry = () => button('Try again').click();

const actions: Record<string, Action> = {
  'a link is added': {
    endpoint: 'addPresentationToken',
    path: ({ id }) => `/decks/${id}/links`,
    fill: () => field('Name').fill('Board'),
    press: () => button('Add a link').dblclick(),
    typed: () => field('Name').inputValue(),
    said: () => toast(/Board/).waitFor(),
    count: (scene) => links(scene, 'Board'),
  },
  'a mail is sent': {
    endpoint: 'sharePresentationViaEmail',
    path: ({ id }) => `/decks/${id}/mails`,
    fill: () => field('To').fill('once@example.com'),
    press: () => button(/^Send/).dblclick(),
    typed: () => field('To').inputValue(),
    said: () => toast(/mail sent/).waitFor(),
    count: async () => (await stage.world.mails('once@example.com')).length,
  },
  'a person is invited': {
    endpoint: 'inviteCollaborator',
    path: ({ id }) => `/decks/${id}/people`,
    fill: () => field('Email of the person').fill('guest@example.com'),
    press: () => button('Invite').dblclick(),
    typed: () => field('Email of the person').inputValue(),
    said: () => toast(/guest@example.com/).waitFor(),
    count: async () => (await stage.world.mails('guest@example.com')).length,
  },
  'a key is created': {
    endpoint: 'createApiKey',
    path: () => '/keys',
    fill: async () => {
      await button('Create a key').click();
      await field('Name').fill('Build');
    },
    press: () => dialog().getByRole('button', { name: 'Create a key' }).dblclick(),
    typed: () => field('Name').inputValue(),
    // No second answer has the text of a key.
    said: () => stage.page.getByText('its answer was lost on the way').waitFor(),
    count: async ({ owner }) => {
      const key = await stage.world.aDashboardSession(owner);
      const { keys } = await read<{ keys: { name: string }[] }>('listApiKeys', {}, { key });
      return keys.filter(({ name }) => name === 'Build').length;
    },
  },
  'a listing is published': {
    endpoint: 'publishMarketplaceListing',
    path: ({ id }) => `/decks/${id}/marketplace`,
    fill: () => field('Description').fill('Revenue and costs.'),
    press: () => button('Publish in the marketplace').dblclick(),
    // The page reads the listing, and offers to change it.
    failed: () => button('Update listing').waitFor(),
    again: () => button('Update listing').dblclick(),
    said: () => toast('The listing is updated.').first().waitFor(),
    count: async ({ owner }) => {
      const { docs } = await stage.world.database.collection('listings').get();
      return docs.filter((each) => each.get('ownerId') === owner.userId).length;
    },
  },
  'a deck is published': {
    endpoint: 'commitPresentationVersion',
    path: () => '/new',
    fill: () => field('Choose a file').setInputFiles(file),
    press: () => button('Publish').click(),
    again: retry,
    said: () => stage.page.getByRole('heading', { name: 'Your deck is online' }).waitFor(),
    count: async (scene) => (await decks(scene)) - 1,
  },
  'a version is published': {
    endpoint: 'commitPresentationVersion',
    path: ({ id }) => `/decks/${id}/versions`,
    fill: async () => {
      await button('Publish a new version').click();
      await field('Choose a file').setInputFiles(file);
    },
    press: () => button('Publish version').click(),
    again: retry,
    said: () => stage.page.getByRole('heading', { name: 'Version 3 is online' }).waitFor(),
    count: async (scene) => (await info(scene)).version - 2,
  },
};

/** Demands that each of these actions is done once, however often its button is pressed. */
export function proveActions(names = Object.keys(actions)): void {
  describeInBrowser('an action is done once', () => {
    test.each(names.map((name) => [name, actions[name]!] as const))(
      '%s: a double press, and another one after a lost answer',
      async (_, action) => {
        const scene = await aScene();
        await stage.enter(scene.owner, action.path(scene));
        await action.fill();
        const typed = await action.typed?.();
        const isDryRun = (route: Route) => /"dryRun":true/.test(route.request().postData() ?? '');
        const { calls, end } = await intercept(action.endpoint, (route) =>
          isDryRun(route) ? route.continue() : lose(route),
        );
        await action.press();
        await (action.failed ?? (() => alert().first().waitFor()))();
        await stage.settle();
        expect(await action.typed?.()).toBe(typed);
        if (action.typed) expect(calls).toHaveLength(1);
        await end();
        await (action.again ?? action.press)();
        await stage.settle();
        await action.said();
        await stage.settle();
        expect(await action.count(scene)).toBe(1);
      },
    );
  });
}
