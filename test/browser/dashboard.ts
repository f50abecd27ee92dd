import type { Page } from 'playwright-core';
import { buildSite } from '../site/pages';
import type { Account } from '../support/world';
import { until } from './browser';
import { expectToFit } from './fits';
import { Stage } from './stage';

/** A stage with the built dashboard. Each test begins with a viewer whose tab has no session. */
export class DashboardStage extends Stage {
  constructor({ deckOrigin = false } = {}) {
    super({ deckOrigin });
    beforeAll(buildSite);
  }

  get page(): Page {
    return this.viewer.page;
  }

  /** The origin to which the local site leads every window. It is that of the marketplace. */
  get site(): string {
    return new URL(this.world.cloud.marketplaceUrl).origin;
  }

  /** The address of a page of the dashboard; `path` begins with a slash or is empty. */
  address(path = ''): string {
    return `${this.site}/dashboard${path}`;
  }

  /** Signs in on the page, with the code from the inbox, and opens a page of the dashboard. */
  async signIn({ email }: Pick<Account, 'email'>, path = ''): Promise<void> {
    const next = encodeURIComponent(`/dashboard${path}`);
    await this.page.goto(this.address(`/sign-in?next=${next}`));
    await this.page.getByLabel('Email').fill(email);
    await this.page.getByRole('button', { name: 'Send code' }).click();
    await this.page.getByLabel('Code from the mail').waitFor();
    await this.page.getByLabel('Code from the mail').fill(await this.world.mailedCode(email));
    await this.page.waitForURL(this.address(path));
    await this.settle();
  }

  /** Opens a page of the dashboard in a tab that has a session of the account already. */
  async enter(account: Account, path = ''): Promise<void> {
    const token = await this.world.aDashboardSession(account);
    const { email, userId, organizationId } = account;
    const session = {
      token,
      expiresAt: new Date(Date.now() + 3600_000).toISOString(),
      user: { userId, displayName: 'Ada Lovelace', email },
      organization: { organizationId, name: 'Analytical Engines' },
    };
    await this.page.goto(this.address('/sign-in'));
    // A page that is left while it loads reports requests that were cut off.
    await this.settle();
    await this.page.evaluate(`sessionStorage.setItem('deckhost.session', ${JSON.stringify(JSON.stringify(session))})`);
    await this.page.goto(this.address(path));
    await this.settle();
  }

  /** Gives the tab a session before the next page loads. */
  async beginSession(session: object): Promise<void> {
    const text = JSON.stringify(JSON.stringify(session));
    // The page of a deck has another origin, and may have no storage.
    const content = `if (self.origin === '${this.site}') sessionStorage['deckhost.session'] ??= ${text};`;
    await this.viewer.context.addInitScript({ content });
  }

  /** Waits until the page of the address has loaded its code and its rows, and no call runs. */
  async settle(): Promise<void> {
    await this.page.locator('main[aria-busy="false"] h1').first().waitFor();
    await until(this.page, '!document.querySelector("[aria-busy=true]")');
    await this.viewer.quiet();
  }

  /** Demands that the page fits each width in both schemes, that axe finds nothing, and that nothing was reported. */
  async expectTidy(): Promise<void> {
    await expectToFit(this.page);
    expect(this.troubles).toEqual([]);
  }

  /** What went wrong in the browser. */
  get troubles(): string[] {
    return this.viewer.troubles;
  }
}
