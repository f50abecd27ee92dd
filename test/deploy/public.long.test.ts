import { ACCOUNT, deploying, type Place } from './place';
import { anEndpoint, PROJECT } from './project';

const made = deploying();
const { anEmptyProject, aDeployedProject } = made;

/** The changes of services, without what is the same in all. */
const changesOf = ({ standIn }: Place) =>
  standIn.changes.flatMap((line) => /^gcloud run services (\S+ \S+ \S+)/.exec(line)?.[1] ?? []);

describe('the functions', () => {
  it('may be called by the account where a queue of tasks does, and not by everybody', async () => {
    const place = await anEmptyProject();
    place.standIn.source = [...place.standIn.source, anEndpoint('deliverEvent', { kind: 'task' })];
    expect(await place.succeeds()).toMatch(/✓ public +2 functions[^]*✓ jobs .*1 of tasks/);
    expect(place.standIn.isClosed('deliverEvent')).toBe(true);
    const { bindings } = place.standIn.policy('deliverevent');
    expect(bindings).toEqual([{ role: 'roles/run.invoker', members: [ACCOUNT] }]);
  });

  it('are public after a deploy, except the scheduled ones, and become public again when somebody closed them', async () => {
    const place = await aDeployedProject();
    const isClosed = (name: string) => place.standIn.isClosed(name);
    expect(['getServiceInfo', 'deckSite', 'finishDeletions'].map(isClosed)).toEqual([false, false, true]);
    place.standIn.policies.delete('decksite');
    // The release took longer than a token is valid.
    place.standIn.expiredTokens = 1;
    const told = await place.succeeds();
    expect(told).toMatch(/: 0 of 3 functions[^]*✓ public +2 functions, 1 of them since now/);
    expect(told).toMatch(/✓ check .* 2 public functions/);
    expect(changesOf(place)).toEqual(['add-iam-policy-binding decksite --member=allUsers']);
    expect(isClosed('deckSite')).toBe(false);
  });

  it('are public without the check of Cloud Run where the organization refuses allUsers, after each deploy', async () => {
    const place = await anEmptyProject();
    const { standIn } = place;
    standIn.allowsEverybody = false;
    expect(await place.succeeds()).toContain('2 of them since now, without the check of Cloud Run: the organization');
    const ended = ['update decksite --no-invoker-iam-check', 'update getserviceinfo --no-invoker-iam-check'];
    expect(changesOf(place)).toEqual(ended);
    standIn.changes.length = 0;
    await place.succeeds();
    expect(changesOf(place)).toEqual([]);
    standIn.code = 'another version';
    await place.succeeds();
    expect(changesOf(place)).toEqual(ended);
    standIn.allowsEverybody = true;
    standIn.code = 'a version after the organization allowed it';
    await place.succeeds();
    expect(standIn.policy('decksite').bindings).toMatchObject([{ members: ['allUsers'] }]);
  });

  it('stay closed where the organization refuses both ways, and the deploy names the two policies', async () => {
    const { standIn, fails, succeeds } = await anEmptyProject();
    Object.assign(standIn, { allowsEverybody: false, allowsNoCheck: false });
    const told = await fails();
    expect(told).toMatch(/✗ public[^]*--no-invoker-iam-check[^]*iam\.allowedPolicyMemberDomains: allow all/);
    expect(told).toContain(`npm run deploy -- --project ${PROJECT} --from public`);
    standIn.allowsEverybody = true;
    await succeeds({ from: 'public' });
  });

  it('are probed by the check, which names each that Google answers for', async () => {
    const { standIn, fails } = await aDeployedProject();
    standIn.policies.delete('decksite');
    expect(await fails({ from: 'check' })).toMatch(
      /✗ check .*not public, or do not answer: deckSite\.[^]*--from public/,
    );
  });

  it('get more CPU while they start, after each deploy', async () => {
    const place = await anEmptyProject();
    place.standIn.services.startsWithBoost = false;
    expect(await place.succeeds()).toMatch(/✓ boost +switched on for 3 functions/);
    place.standIn.changes.length = 0;
    expect(await place.succeeds()).toMatch(/: 0 of 3 functions[^]*✓ boost +on for 3 functions/);
    expect(changesOf(place)).toEqual([]);
    place.standIn.code = 'another version';
    await place.succeeds();
    expect(changesOf(place).toSorted()).toEqual(
      ['decksite', 'finishdeletions', 'getserviceinfo'].map((name) => `update ${name} --cpu-boost`),
    );
  });
});
