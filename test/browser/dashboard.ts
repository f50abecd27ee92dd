import { buildSite } from '../site/pages';
import type { Account, DeckFile, World } from '../support/world';
import { expectToFit } from './fits';
import { Stage } from './stage';

/** A session as the dashboard keeps it in its tab. */
export async function aSession(world: World, account: Account, displayName: string, name: string) {
  const token = await world.aDashboardSession(account);
  const { email, userId, organizationId } = account;
  const expiresAt = new Date(Date.now() + 3600_000).toISOString();
  return { token, expiresAt, user: { userId, displayName, email }, organization: { organizationId, name } };
}
export type Session = Awaited<ReturnType<typeof aSession>>;

/** Pushes a version of a deck. */
export async function aVersion(world: World, owner: Account, presentationId: string, files: DeckFile[], message = '') {
  await world.uploadAll(owner, { presentationId }, files);
  await world.commit(owner, { presentationId, message }, files);
}

/** A stage with the built dashboard. Each test begins with a viewer whose tab has no session. */
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

  /** Opens a page of the dashboard in a tab that has a session of the account. */
  async enter(account: Account, path = ''): Promise<void> {
    await this.beginSession(await aSession(this.world, account, 'Ada Lovelace', 'Analytical Engines'));
    await this.open(path);
  }

  /** Gives the tab a session with the next page that it loads. The page may end the session. */
  async beginSession(session: Session): Promise<void> {
    const [key, mark] = ['deckhost.session', `given ${session.token}`].map((name) => JSON.stringify(name));
    // The page of a deck has another origin, and may have no storage.
    const content = `if (self.origin === '${this.site}' && !sessionStorage[${mark}])
      Object.assign(sessionStorage, { [${mark}]: 1, [${key}]: ${JSON.stringify(JSON.stringify(session))} });`;
    await this.viewer.context.addInitScript({ content });
  }

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
