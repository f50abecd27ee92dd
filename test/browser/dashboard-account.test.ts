import type { Account, World } from '../support/world';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();

let owner: Account;
beforeEach(async () => {
  owner = await stage.world.anOwner();
});

const button = (name: string | RegExp) => stage.page.getByRole('button', { name });
const keyNames = async (world: World, { organizationId }: Account) => {
  const found = await world.database.collection('apiKeys').where('organizationId', '==', organizationId).get();
  return found.docs.map((each) => [each.get('name'), each.get('status')] as [string, string]).sort();
};

test('a key is created, shown once, used and revoked', async () => {
  await stage.enter(owner, '/keys');
  await stage.expectTidy();
  await button('Create a key').click();
  await stage.page.getByLabel('Name').fill('<b>Build</b> server');
  await stage.page.getByLabel('Publish and star listings').check();
  await stage.expectTidy();
  await stage.page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
  const raw = (await stage.page.locator('code.raw').textContent())!;
  const { data } = await stage.world.call<{ scopes: string[] }>('verifyApiKey', undefined, { key: raw });
  expect(data.scopes).toEqual(['presentations:write', 'presentations:read', 'marketplace:publish']);
  await stage.expectTidy();
  await button('I have copied it').click();
  expect(await stage.page.content()).not.toContain(raw);
  await button('Revoke <b>Build</b> server').click();
  await stage.expectTidy();
  await stage.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await stage.page.getByText('1 revoked or expired key').first().waitFor();
  expect((await stage.world.call('verifyApiKey', undefined, { key: raw })).status).toBe(401);
  expect(await keyNames(stage.world, owner)).toEqual([
    ['<b>Build</b> server', 'revoked'],
    ['CLI default key', 'active'],
  ]);
});

test('at twenty keys the page says what to do, and creates no more', async () => {
  const key = await stage.world.aDashboardSession(owner);
  for (let n = 2; n <= 20; n++)
    await stage.world.call('createApiKey', { name: `key ${n}`, scopes: ['presentations:read'] }, { key });
  await stage.enter(owner, '/keys');
  await stage.page.getByText('20 of 20 keys are active.').waitFor();
  expect(await button('Create a key').isDisabled()).toBe(true);
  await stage.expectTidy();
});

test('usage tells each limit, and what to do when one is near', async () => {
  const used = { decks: 85, storedBytes: 6 * 1024 ** 3 };
  await stage.world.database.doc(`organizationUsages/${owner.organizationId}`).update(used);
  await stage.enter(owner, '/usage');
  await stage.page.getByText('85 of 100').waitFor();
  await stage.page.getByText('Nearly used up').waitFor();
  await stage.page.getByText('Used up', { exact: true }).waitFor();
  expect(await stage.page.getByRole('meter', { name: 'Decks', exact: true }).getAttribute('aria-valuenow')).toBe('85');
  await stage.expectTidy();
});

test('the profile and the organization are changed, and the change is shown at once', async () => {
  await stage.enter(owner, '/settings');
  await stage.page.getByLabel('First name').fill('Grace');
  await stage.page.getByLabel('Last name').fill('Hopper');
  await button('Save').first().click();
  await stage.page.getByText('Saved.').first().waitFor();
  expect(await stage.page.locator('.site-header').textContent()).toContain('Grace Hopper');

  await stage.page.getByLabel('Name', { exact: true }).fill('<i>Engines</i> שלום');
  await stage.page.getByLabel('First colour', { exact: true }).fill('red');
  await stage.page.getByText('Such as #1a2b3c').waitFor();
  await stage.page.getByLabel('First colour', { exact: true }).fill('8A1C3B');
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="40"><rect width="90" height="40" fill="teal"/></svg>';
  const upload = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) };
  await stage.page.locator('input[type=file]').setInputFiles(upload);
  await stage.page.getByRole('img', { name: /^Logo of/ }).waitFor();
  await stage.expectTidy();
  const isSaved = stage.page.waitForEvent('requestfinished', (sent) => sent.url().endsWith('/updateOrganization'));
  await button('Save').last().click();
  await stage.page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
  await isSaved;
  await stage.page.reload();
  await stage.settle();
  await stage.page.getByRole('img', { name: 'Logo of \u2068<i>Engines</i> שלום\u2069' }).waitFor();
  expect(await stage.page.getByLabel('First colour', { exact: true }).inputValue()).toBe('#8a1c3b');
  await stage.expectTidy();

  await button('Remove the logo').click();
  await stage.page.getByText('No logo yet').waitFor();
  await button('Save').last().click();
  await stage.page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
  const shown = await stage.world.call('getOrganizationLogo', undefined, { key: owner.key });
  expect(shown.status).toBe(404);
});
