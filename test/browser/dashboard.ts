import type { Route } from 'playwright-core';
import { buildSite } from '../site/pages';
import { aBrowser } from '../support/browser-session';
import type { Account, DeckFile, World } from '../support/world';
import { expectToFit } from './fits';
import { Stage } from './stage';

/** A session as the browser keeps it: its cookie, and what the pages of the site read. */
export async function aSession(world: World, account: Account, displayName: string, name: string) {
  const { cookie, binder, headers } = await aBrowser(world, account);
  const { email, userId, organizationId } = account;
  const stored = { binder, user: { userId, displayName, email }, organization: { organizationId, name } };
  return { cookie, headers, stored };
}
export type Session = Awaited<ReturnType<typeof aSession>>;

/** Answers a call with a failure that nothing repeats. */
export function refuse(route: Route): Promise<void> {
  const error = { code: 'conflict', message: 'No', nextAction: 'No', requestId: 'request-1' };
  const headers = { 'Access-Control-Allow-Origin': '*' };
  return route.fulfill({ status: 409, headers, json: { success: false, error } });
}

/** Pushes a version of a deck. */
export async function aVersion(world: World, owner: Account, presentationId: string, files: DeckFile[], message = '') {
  await world.uploadAll(owner, { presentationId }, files);
  await world.commit(owner, { presentationId, message }, files);
}

/** A stage with the built dashboard. Each test begins with a viewer whose browser has no session. */
export class DashboardStage extends Stage {
  constructor({ deckOrigin = false } = {}) {
    super({ deckOrigin });
    beforeAll(buildSite);
  }

  /** The origin to which the local site leads every window. It is that of the marketplace. */
  get site(): string {
    return new URL(this.world.cloud.marketplaceUrl).origin;
  }

  /** The address of a page of the dashboard; `path` begins with a slash or is empty. */
  address(path = ''): string {
    return `${this.site}/dashboard${path}`;
  }

  /** Opens the form for an address and a code, and asks for a code. */
  async requestCode(email: string, path = '/sign-in'): Promise<void> {
    await this.page.goto(this.address(path));
    await this.fill({ Email: email }, 'Send code');
  }

  /** Opens a page of the dashboard in a browser that has a session of the account. */
  async enter(account: Account, path = ''): Promise<void> {
    await this.beginSession(await aSession(this.world, account, 'Ada Lovelace', 'Analytical Engines'));
    await this.open(path);
  }

  /** Asks for a code on the settings of an account, and answers the field for it with the code that was mailed. */
  async requestSettingsCode(owner: Account, asking: string): Promise<Record<string, string>> {
    await this.enter(owner, '/settings');
    await this.button(asking).click();
    const codeField = `Code from the email to ${owner.email}`;
    await this.field(codeField).waitFor();
    return { [codeField]: await this.world.mailedCode(owner.email) };
  }

  /** Gives the browser a session before the next page that it loads. The page may end the session. */
  async beginSession({ cookie, stored }: Session): Promise<void> {
    await this.giveCookie(this.site, cookie);
    const [key, mark] = ['deckhost.session', `given ${stored.binder}`].map((name) => JSON.stringify(name));
    // The page of a deck has another origin, and may have no storage.
    const content = `if (self.origin === '${this.site}' && !localStorage[${mark}])
      Object.assign(localStorage, { [${mark}]: 1, [${key}]: ${JSON.stringify(JSON.stringify(stored))} });`;
    await this.viewer.context.addInitScript({ content });
  }

  /** What the browser keeps of its session for the pages of the site. Null when nobody is signed in. */
  stored = async (): Promise<Session['stored'] | null> =>
    JSON.parse((await this.page.evaluate<string | null>(`localStorage.getItem('deckhost.session')`)) ?? 'null') as
      Session['stored'] | null;

  /** A token of the session of the browser, as a new tab would get it. */
  async token(): Promise<string> {
    const headers = { 'content-type': 'application/json', 'x-dashboard-binder': (await this.stored())!.binder };
    const request = JSON.stringify({ method: 'POST', headers, body: '{}' });
    const answer = `fetch('/dashboardSession', ${request}).then((response) => response.json())`;
    return (await this.page.evaluate<{ data: { sessionToken: string } }>(answer)).data.sessionToken;
  }

  /** Chooses a page of this computer, which the open page publishes. */
  choosePage = (content: string) => {
    const buffer = Buffer.from(content);
    return this.field('Choose a file').setInputFiles({ name: 'index.html', mimeType: 'text/html', buffer });
  };

  /** Opens a page of the dashboard, and waits until it has loaded. */
  async open(path = ''): Promise<void> {
    await this.page.goto(this.address(path));
    await this.settle();
  }

  settle = () => this.viewer.settle();

  /** Demands that the page fits each width in both schemes, that axe finds nothing, and that nothing was reported. */
  async expectTidy(): Promise<void> {
    await expectToFit(this.page);
    expect(this.troubles).toEqual([]);
  }
}
