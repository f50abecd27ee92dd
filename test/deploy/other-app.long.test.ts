import { apis } from '../../deploy/tables';
import { deploying } from './place';
import { PROJECT } from './project';
import type { StandIn } from './stand-in';

const { anEmptyProject, aDeployedProject } = deploying();

describe('a deploy to a project with another app', () => {
  const foreign = { id: 'theirs', region: 'us-central1', codebase: 'default' };
  const open = 'match /{all=**} { allow read: if true; allow write: if false; } // allow write: if false;';
  const closed = 'match /{all=**} { allow read, write: if false; } // allow read: if true;';
  const aUsedProject = async (prepare: (standIn: StandIn) => void) => {
    const place = await anEmptyProject();
    for (const { name } of apis) place.standIn.apis.add(name);
    prepare(place.standIn);
    return place;
  };
  const aReleasedSite = (standIn: StandIn) => {
    standIn.sites = [{ name: `projects/${PROJECT}/sites/${PROJECT}`, type: 'DEFAULT_SITE' }];
    standIn.isSiteReleased = true;
  };

  it.each<[string, (standIn: StandIn) => void, string]>([
    ['functions', (s) => (s.otherFunctions = [foreign]), '- the function theirs in us-central1'],
    ['rules', (s) => (s.rules = { 'cloud.firestore': open }), '- the rules of cloud.firestore'],
    ['bucket rules', (s) => (s.rules = { 'firebase.storage/x.appspot.com': open }), '- the rules of firebase.st'],
    ['a site', aReleasedSite, `- the site ${PROJECT}.web.app`],
  ])('stops before it replaces %s, and continues when told', async (_what, prepare, told) => {
    const { standIn, fails, succeeds } = await aUsedProject(prepare);
    for (const options of [{}, { from: 'release' }, { only: 'release' }]) {
      expect(await fails(options)).toMatch(/✗ preflight .*has another app[^]*--existing-project/);
      expect(standIn.changes).toEqual([]);
    }
    expect(await succeeds({ existingProject: true })).toContain(told);
    expect(await succeeds()).toContain('deployed to this project before');
  });

  it('does not stop at rules that deny everything, or of other databases', async () => {
    const rules = { 'cloud.firestore': closed, 'cloud.firestore/other': open };
    const { succeeds } = await aUsedProject((standIn) => (standIn.rules = rules));
    expect(await succeeds()).toContain('no other app in this project');
  });

  it('never deletes functions of others, and lists the own ones that it deletes', async () => {
    const { standIn, fails, succeeds } = await aDeployedProject();
    standIn.otherFunctions = [foreign, { ...foreign, id: 'old', codebase: 'decks' }];
    expect(await fails()).toMatch(/have these functions any more:\s+old\(us-central1\)\s+To delete/);
    expect(await succeeds({ deleteRemoved: true })).toMatch(/! These functions are deleted[^:]*:\s+old\(us-central1\)/);
    expect(standIn.otherFunctions).toEqual([foreign]);
    standIn.changes.length = 0;
    await succeeds({ deleteRemoved: true });
    expect(standIn.changes.join('\n')).not.toContain('--force');
  });

  it('sets the policy of the images in a new region beside functions of others', async () => {
    const { standIn, succeeds } = await anEmptyProject();
    standIn.otherFunctions = [{ ...foreign, region: 'asia-east1' }];
    await succeeds({ existingProject: true });
    expect(standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: true });
    expect(standIn.changes.filter((line) => /deploy.*--force/.test(line))).toEqual([]);
  });

  it('keeps the settings of Authentication that another app uses', async () => {
    const { standIn, succeeds } = await anEmptyProject();
    const used = { signIn: { email: { enabled: true } } };
    standIn.authentication = used;
    expect(await succeeds()).toMatch(/✓ authentication .*visitors may create users too/);
    expect(standIn.authentication).toBe(used);
  });

  it.each<[string, Partial<StandIn>]>([
    ['may sign in without an account', { authentication: { signIn: { anonymous: { enabled: true } } } }],
    ['signed up', { authentication: {}, hasUsers: true }],
    ['may sign in with Google', { authentication: {}, identityProviders: [{ name: 'google.com' }] }],
  ])('leaves sign-ups open where somebody %s', async (_what, state) => {
    const { standIn } = await aDeployedProject({}, (place) => void Object.assign(place.standIn, state));
    expect(standIn.authentication).toMatchObject({ signIn: { email: { enabled: true } } });
    expect(standIn.authentication).not.toHaveProperty('client');
  });
});
