import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../deploy/surroundings';
import { apis, logExclusion, roles } from '../../deploy/tables';
import { each } from '../support/each';
import { continuesAfter, namesTheLook, wholeDeploy } from './cuts';
import { ACCOUNT, changesOf, deploying, RESEND_KEY, withPrograms } from './place';
import { PROJECT, type StandIn } from './stand-in';

const made = deploying();
const { anEmptyProject } = made;

describe('a deploy', () => {
  it('prepares an empty project by the programs on PATH, deploys and checks the service', async () => {
    const place = await anEmptyProject();
    const { around, standIn, printed } = place;
    const env = withPrograms(around);
    around.run = (command) => runProgram(command, around.root, env);
    standIn.propagating = 2;
    standIn.unknownApis = 2;
    made.proxy.refusals = 2;

    const status = await place.deploy();

    expect(printed.join('\n')).toContain('✓ client-address');
    expect(status).toBe(0);
    expect(standIn.apis).toEqual(new Set(apis.map(({ name }) => name)));
    expect(standIn.databases).toMatchObject([{ type: 'FIRESTORE_NATIVE', locationId: 'us-central1' }]);
    expect(standIn.bucket).toMatchObject({
      location: 'us-central1',
      cors: [{ method: ['GET', 'HEAD'] }],
      lifecycle: { rule: [{ condition: { matchesPrefix: ['quarantine/'] } }, {}] },
    });
    expect(standIn.exclusions).toEqual([logExclusion]);
    expect(standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: true });
    expect(standIn.authentication).toMatchObject({ client: { permissions: { disabledUserSignup: true } } });

    const granted = [...standIn.policies].flatMap(([resource, { bindings }]) =>
      bindings.filter(({ members }) => members.includes(ACCOUNT)).map(({ role }) => `${role} on ${resource}`),
    );
    expect(granted.sort()).toEqual([
      `roles/datastore.user on ${PROJECT}`,
      `roles/firebaseauth.admin on ${PROJECT}`,
      `roles/iam.serviceAccountTokenCreator on ${ACCOUNT.replace('serviceAccount:', '')}`,
      'roles/run.invoker on finishdeletions',
      'roles/secretmanager.secretAccessor on RESEND_API_KEY',
      'roles/secretmanager.secretAccessor on SERVICE_SECRET',
      `roles/storage.objectAdmin on gs://${PROJECT}.firebasestorage.app`,
    ]);
    expect(new Set(granted.map((each) => each.split(' ')[0]))).toEqual(new Set(roles.map(({ name }) => name)));

    const settings = readFileSync(join(around.root, 'functions', `.env.${PROJECT}`), 'utf8');
    expect(settings).toBe(
      `REGION=us-central1\nMAIL_FROM="Decks <decks@example.org>"\nSERVICE_ACCOUNT=${ACCOUNT.slice(15)}\n`,
    );

    const secrets = [...standIn.secretVersions.values()].flat();
    expect(standIn.secretVersions.get('RESEND_API_KEY')).toEqual([RESEND_KEY]);
    expect(standIn.secretVersions.get('SERVICE_SECRET')).toEqual([expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)]);
    const shown = [...standIn.argumentsSeen, ...printed].join('\n');
    for (const secret of each(secrets)) expect(shown).not.toContain(secret);
  });

  it('changes nothing when it runs again, but deploys', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy()).toBe(0);
    const first = place.standIn.snapshot();
    const secrets = structuredClone(place.standIn.secretVersions);
    place.standIn.changes.length = 0;
    expect(await place.deploy()).toBe(0);
    expect(changesOf(place)).toEqual([
      `firebase deploy --only=firestore,storage --project=${PROJECT} --non-interactive`,
      `firebase deploy --only=functions --project=${PROJECT} --non-interactive`,
      `firebase deploy --only=hosting --project=${PROJECT} --non-interactive`,
    ]);
    expect(place.standIn.snapshot()).toEqual(first);
    expect(place.standIn.secretVersions).toEqual(secrets);
  });

  it('prints in a dry run the commands that a first deploy runs, and runs none', async () => {
    const dry = await anEmptyProject({ env: {} });
    expect(await dry.deploy({ dryRun: true })).toBe(0);
    expect(dry.standIn.lines).toEqual([]);
    const real = await anEmptyProject();
    // A new project has no API enabled that the deploy needs.
    real.standIn.apis.clear();
    expect(await real.deploy()).toBe(0);
    const plan = dry.printed
      .flatMap((printed) => printed.split('\n'))
      .filter((line) => line !== '' && !/^(#|echo )/.test(line))
      .map((line) => {
        const [, method, url] = /^curl .*-X (\w+) .* '?https:\/(\S+?)'?$/.exec(line) ?? [];
        if (method) return `${method} ${url}`;
        return line.replace(/^.* \| /, '').replace(/"(--member=serviceAccount:)\$\(.*\)(-compute@.*?)"/, '$14711$2');
      });
    expect(plan).toEqual(changesOf(real));
  });

  it('continues after a cut, and names the step of a refused look', async () => {
    const whole = await wholeDeploy(anEmptyProject);
    const change = (part: string) => whole.changes.find((line) => line.includes(part))!;
    await continuesAfter(await anEmptyProject(), change('secrets'), 'after', whole);
    await continuesAfter(await anEmptyProject(), change('--only=functions'), 'before', whole);
    await namesTheLook(await anEmptyProject(), whole.looks.at(-1)!);
  });

  it.each<[string, (standIn: StandIn) => void, RegExp]>([
    ['an old firebase-tools', (s) => (s.firebaseVersion = '13.1.0'), /✗ tools .*13\.1\.0 is too old/],
    ['no login', (s) => (s.isLoggedIn = false), /gcloud is not logged in[\s\S]*gcloud auth login/],
    ['no billing', (s) => (s.hasBilling = false), /no billing account[\s\S]*usage\/details/],
    [
      'a database in Datastore mode',
      (s) => s.databases.push({ name: 'x/databases/(default)', type: 'DATASTORE_MODE', locationId: 'eur3' }),
      /✗ database .*Datastore mode/,
    ],
  ])('stops at %s and says what to do', async (_what, prepare, told) => {
    const place = await anEmptyProject();
    prepare(place.standIn);
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toMatch(told);
  });

  it.each([
    'Quota exceeded for total allowable CPU per project per region.',
    'For the specified value, maxScale may not exceed 20.',
  ])('says what a refused quota means: %s', async (refusal) => {
    const place = await anEmptyProject();
    const run = place.around.run.bind(place.around);
    place.around.run = async (command) =>
      command.args.includes('--only=functions') ? { status: 2, stdout: '', stderr: `Error: ${refusal}` } : run(command);
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toMatch(
      /✗ release[\s\S]*Error: [\s\S]*docs\/operating\.md, "When a quota is too small"/,
    );
  });

  it('shows no secret when a program prints it and fails', async () => {
    const place = await anEmptyProject();
    const run = place.around.run.bind(place.around);
    place.around.run = async (command) =>
      command.args.includes('RESEND_API_KEY') && command.input
        ? { status: 1, stdout: '', stderr: `Error: ${command.input.value} is refused` }
        : run(command);
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toContain('Error: <secret> is refused');
    expect(place.printed.join('\n')).not.toContain(RESEND_KEY);
  });

  it('fails for a missing value without a terminal, and asks for it in one', async () => {
    const silent = await anEmptyProject();
    silent.around.env = { STAND_IN: silent.around.env['STAND_IN'] };
    expect(await silent.deploy()).toBe(1);
    expect(silent.printed.join('\n')).toMatch(/✗ settings .*missing[\s\S]*--mail-from/);
    expect(await silent.deploy({ mailFrom: 'decks@example.org' })).toBe(1);
    expect(silent.printed.join('\n')).toMatch(/✗ secrets .*Resend[\s\S]*RESEND_API_KEY/);

    const asked: [string, boolean | undefined][] = [];
    silent.around.ask = (question, isSecret) => {
      asked.push([question, isSecret]);
      return Promise.resolve(question.startsWith('Resend') ? `${RESEND_KEY}\n` : '');
    };
    expect(await silent.deploy()).toBe(0);
    expect(asked).toEqual([
      [expect.stringContaining('Resend API key'), true],
      [expect.stringContaining('empty: no test'), undefined],
    ]);
    expect(silent.standIn.secretVersions.get('RESEND_API_KEY')).toEqual([RESEND_KEY]);
  });

  it('keeps the region of an earlier deploy, and moves the functions only when told', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy({ region: 'europe-west1' })).toBe(0);
    expect(place.standIn.databases[0]!.locationId).toBe('europe-west1');
    expect(await place.deploy({ region: 'us-east1' })).toBe(1);
    expect(place.printed.join('\n')).toMatch(/✗ settings .*has the region europe-west1, not us-east1/);
    place.standIn.changes.length = 0;
    expect(await place.deploy()).toBe(0);
    expect(place.standIn.functionsIn).toBe('europe-west1');
    expect(changesOf(place).join('\n')).not.toContain('--force');
  });

  it('keeps other lines of the settings, lifecycle rules and exclusions of the operator', async () => {
    const place = await anEmptyProject();
    const file = join(place.around.root, 'functions', `.env.${PROJECT}`);
    writeFileSync(file, '# Mine\nMAIL_PATIENCE_SECONDS=30 # seconds\nMAIL_FROM="A \\"B\\" <a@example.org>"\n');
    delete place.around.env['MAIL_FROM'];
    const rule = { action: { type: 'Delete' }, condition: { age: 400 } };
    const cors = { origin: ['https://app.example.org'], method: ['PUT'] };
    place.standIn.bucket = { location: 'us-east1', lifecycle: { rule: [rule] }, cors: [cors] };
    place.standIn.exclusions = [{ name: 'mine', filter: 'severity<ERROR' }];
    expect(await place.deploy()).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(
      '# Mine\nMAIL_PATIENCE_SECONDS=30 # seconds\nMAIL_FROM="A \\"B\\" <a@example.org>"\n' +
        `REGION=us-central1\nSERVICE_ACCOUNT=${ACCOUNT.slice(15)}\n`,
    );
    expect(place.standIn.bucket.lifecycle).toEqual({
      rule: [rule, {}, {}].map((each) => expect.objectContaining(each)),
    });
    expect(place.standIn.bucket.cors).toEqual([cors, expect.objectContaining({ method: ['GET', 'HEAD'] })]);
    expect(place.printed.join('\n')).toMatch(/✓ bucket .*beside 1 CORS and 1 lifecycle rules that were there/);
    expect(place.standIn.exclusions.map(({ name }) => name)).toEqual(['mine', logExclusion.name]);
    place.standIn.changes.length = 0;
    expect(await place.deploy()).toBe(0);
    expect(changesOf(place).filter((line) => !line.startsWith('firebase deploy'))).toEqual([]);
  });

  it('reports functions that fail when the repository of the images is new', async () => {
    const place = await anEmptyProject();
    place.standIn.failsToCreate = 'Quota exceeded for total allowable CPU';
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toMatch(
      /✗ release[^]*Quota exceeded[^]*docs\/operating\.md, "When a quota is too small"/,
    );
    expect(place.standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: false });
  });

  it('deploys the functions when the indexes are built', async () => {
    const place = await anEmptyProject();
    place.standIn.buildingIndexes = 3;
    expect(await place.deploy()).toBe(0);
    expect(place.printed.join('\n')).toContain('… waiting until 1 indexes are built');
    const { lines } = place.standIn;
    expect(lines.findLastIndex((line) => line.includes('indexes composite list'))).toBeLessThan(
      lines.findIndex((line) => line.includes('--only=functions')),
    );
    place.standIn.buildingIndexes = 1000;
    place.standIn.changes.length = 0;
    expect(await place.deploy({ from: 'release' })).toBe(1);
    expect(place.printed.join('\n')).toMatch(/✗ release .*1 indexes of the database are still being built/);
    expect(changesOf(place)).toHaveLength(1);
  });

  it('runs as the account that the operator chose, and creates only its own', async () => {
    const own = `own@${PROJECT}.iam.gserviceaccount.com`;
    const place = await anEmptyProject();
    expect(await place.deploy({ set: ['SERVICE_ACCOUNT=own@'] })).toBe(1);
    expect(place.printed.join('\n')).toContain(`✗ account`);
    expect(place.printed.join('\n')).toContain(`${own} of the setting SERVICE_ACCOUNT does not exist`);
    place.standIn.accounts.add(own);
    expect(await place.deploy()).toBe(0);
    expect([...place.standIn.accounts]).toEqual([own]);
    expect(JSON.stringify([...place.standIn.policies])).not.toContain('decks-functions');
    expect(readFileSync(join(place.around.root, 'functions', `.env.${PROJECT}`), 'utf8')).toContain(
      `SERVICE_ACCOUNT=${own}\n`,
    );
  });

  it('does not replace a disabled secret', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy()).toBe(0);
    place.standIn.disabledSecrets.add('SERVICE_SECRET');
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toContain(
      `gcloud secrets versions enable 1 --secret=SERVICE_SECRET --project=${PROJECT}`,
    );
    expect(place.standIn.secretVersions.get('SERVICE_SECRET')).toHaveLength(1);
  });

  it('waits for APIs that an earlier run enabled', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy()).toBe(0);
    place.standIn.unknownApis = 2;
    expect(await place.deploy({ from: 'bucket' })).toBe(0);
    expect(place.printed.join('\n')).toContain('… waiting until Google knows the new account or API everywhere');
  });

  it('grants roles beside bindings with a condition', async () => {
    const place = await anEmptyProject();
    const conditional = { role: 'roles/viewer', members: ['user:me@example.org'], condition: { title: 'until May' } };
    for (const resource of [`gs://${PROJECT}.firebasestorage.app`, 'SERVICE_SECRET', ACCOUNT.slice(15), PROJECT]) {
      place.standIn.policies.set(resource, { bindings: [structuredClone(conditional)] });
    }
    expect(await place.deploy()).toBe(0);
  });

  it('writes settings that options change also when it continues later', async () => {
    const place = await anEmptyProject();
    const file = join(place.around.root, 'functions', `.env.${PROJECT}`);
    expect(await place.deploy()).toBe(0);
    writeFileSync(file, `CPU_QUOTA=30\n${readFileSync(file, 'utf8')}# Mine\nCPU_QUOTA=40\n`);
    expect(await place.deploy({ set: ['CPU_QUOTA=50'], mailFrom: 'other@example.org', from: 'release' })).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(
      `REGION=us-central1\nMAIL_FROM=other@example.org\nSERVICE_ACCOUNT=${ACCOUNT.slice(15)}\n# Mine\nCPU_QUOTA=50\n`,
    );
    expect(await place.deploy({ proxyHops: 1, only: 'jobs' })).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('TRUSTED_PROXY_HOPS=1\n');
  });

  it('enables a disabled exclusion of the log', async () => {
    const place = await anEmptyProject();
    place.standIn.exclusions = [{ ...logExclusion, disabled: true }];
    expect(await place.deploy()).toBe(0);
    expect(place.standIn.exclusions).toEqual([logExclusion]);
  });

  it('uses the default site of the project, and keeps all images when the operator chose that', async () => {
    const place = await anEmptyProject();
    place.standIn.sites = [{ name: `projects/${PROJECT}/sites/another-name`, type: 'DEFAULT_SITE' }];
    expect(await place.deploy()).toBe(0);
    expect(readFileSync(join(place.around.root, 'functions', `.env.${PROJECT}`), 'utf8')).toContain(
      'VIEWER_URL=https://another-name.web.app\nMARKETPLACE_URL=https://another-name.web.app\n',
    );
    place.standIn.hasCleanupPolicy = false;
    place.standIn.repositoryLabels = { 'firebase-functions-cleanup-opted-out': 'true' };
    place.standIn.changes.length = 0;
    expect(await place.deploy()).toBe(0);
    expect(changesOf(place).join('\n')).not.toContain('setpolicy');
    place.standIn.repositoryLabels = {};
    expect(await place.deploy()).toBe(0);
    expect(changesOf(place).join('\n')).toContain('firebase functions:artifacts:setpolicy --location=us-central1');
  });

  it('finishes the roles of functions that an earlier deploy made with another account', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy()).toBe(0);
    place.standIn.policies.get('finishdeletions')!.bindings = [];
    expect(await place.deploy()).toBe(0);
    expect(place.standIn.policies.get('finishdeletions')!.bindings).toEqual([
      { role: 'roles/run.invoker', members: [ACCOUNT] },
    ]);
  });
});
