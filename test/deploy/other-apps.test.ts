import { apis } from '../../deploy/tables';
import { changesOf, deploying } from './place';
import { PROJECT, type StandIn } from './stand-in';

const made = deploying();
const { anEmptyProject } = made;

describe('to a project with another app', () => {
  const foreign = { id: 'theirs', region: 'us-central1', codebase: 'default' };
  const open = 'match /{all=**} { allow read: if true; allow write: if false; } // allow write: if false;';
  const closed = 'match /{all=**} { allow read, write: if false; } // allow read: if true;';

  it.each<[string, (standIn: StandIn) => void, string]>([
    ['functions', (s) => (s.otherFunctions = [foreign]), '- the function theirs in us-central1'],
    ['rules', (s) => (s.rules = { 'cloud.firestore': open }), '- the rules of cloud.firestore'],
    [
      'rules of the bucket',
      (s) => (s.rules = { [`firebase.storage/${PROJECT}.appspot.com`]: open }),
      '- the rules of firebase.storage',
    ],
    [
      'a site',
      (s) => {
        s.sites = [{ name: `projects/${PROJECT}/sites/${PROJECT}`, type: 'DEFAULT_SITE' }];
        s.isSiteReleased = true;
      },
      `- the site ${PROJECT}.web.app`,
    ],
  ])('stops before it replaces %s, and continues when told', async (_what, prepare, told) => {
    const place = await anEmptyProject();
    for (const { name } of apis) place.standIn.apis.add(name);
    prepare(place.standIn);
    for (const options of [{}, { from: 'release' }, { only: 'release' }]) {
      expect(await place.deploy(options)).toBe(1);
      expect(changesOf(place)).toEqual([]);
      expect(place.printed.splice(0).join('\n')).toMatch(/✗ preflight .*has another app[^]*--existing-project/);
    }
    expect(await place.deploy({ existingProject: true })).toBe(0);
    expect(place.printed.splice(0).join('\n')).toContain(told);
    expect(await place.deploy()).toBe(0);
    expect(place.printed.join('\n')).toContain('deployed to this project before');
  });

  it('does not stop at rules that deny everything, or of other databases', async () => {
    const place = await anEmptyProject();
    for (const { name } of apis) place.standIn.apis.add(name);
    place.standIn.rules = { 'cloud.firestore': closed, 'cloud.firestore/other': open };
    expect(await place.deploy()).toBe(0);
    expect(place.printed.join('\n')).toContain('no other app in this project');
  });

  it('never deletes functions of others, and lists the own ones that it deletes', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy()).toBe(0);
    place.standIn.otherFunctions = [foreign, { ...foreign, id: 'old', codebase: 'decks' }];
    expect(await place.deploy()).toBe(1);
    expect(place.printed.splice(0).join('\n')).toMatch(
      /have these functions any more:\s+old\(us-central1\)\s+To delete/,
    );
    expect(await place.deploy({ deleteRemoved: true })).toBe(0);
    expect(place.standIn.otherFunctions).toEqual([foreign]);
    expect(place.printed.splice(0).join('\n')).toMatch(/! These functions are deleted[^:]*:\s+old\(us-central1\)/);
    place.standIn.changes.length = 0;
    expect(await place.deploy({ deleteRemoved: true })).toBe(0);
    expect(changesOf(place).join('\n')).not.toContain('--force');
  });

  it('sets the policy of the images in a new region beside functions of others', async () => {
    const place = await anEmptyProject();
    place.standIn.otherFunctions = [{ ...foreign, region: 'asia-east1' }];
    expect(await place.deploy({ existingProject: true })).toBe(0);
    expect(place.standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: true });
    expect(changesOf(place).filter((line) => /deploy.*--force/.test(line))).toEqual([]);
  });
});

it('keeps the settings of Authentication that another app of the project uses', async () => {
  const place = await anEmptyProject();
  const used = { signIn: { email: { enabled: true } } };
  place.standIn.authentication = used;
  expect(await place.deploy()).toBe(0);
  expect(place.standIn.authentication).toBe(used);
  expect(place.printed.join('\n')).toMatch(/✓ authentication .*visitors may create users too/);
});

it('closes sign-ups only in a project where nobody signs up', async () => {
  for (const prepare of [
    (s: StandIn) => (s.authentication = { signIn: { anonymous: { enabled: true } } }),
    (s: StandIn) => ((s.authentication = {}), (s.hasUsers = true)),
    (s: StandIn) => ((s.authentication = {}), (s.identityProviders = [{ name: 'google.com' }])),
  ]) {
    const place = await anEmptyProject();
    prepare(place.standIn);
    expect(await place.deploy()).toBe(0);
    expect(place.standIn.authentication).toMatchObject({ signIn: { email: { enabled: true } } });
    expect(place.standIn.authentication).not.toHaveProperty('client');
  }
});
