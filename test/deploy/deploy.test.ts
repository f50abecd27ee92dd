import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Settings } from '../../deploy/settings';
import { runProgram } from '../../deploy/surroundings';
import { apis, logExclusion, roles } from '../../deploy/tables';
import { projectRoot } from '../../local/project';
import { addressesOf } from '../../web/site/addresses.mjs';
import { each } from '../support/each';
import { continuesAfter, namesTheLook, wholeDeploy } from './cuts';
import { addRecords, ORIGIN } from './origins';
import { ACCOUNT, deploying, RESEND_KEY, WEBHOOK_SECRET, withoutIds, withPrograms } from './place';
import { BILLING_ACCOUNT, BUCKET, PROJECT } from './project';
import type { StandIn } from './stand-in';

const made = deploying();
const { anEmptyProject, aDeployedProject } = made;
const release = (targets: string) => `firebase deploy --only=${targets} --project=${PROJECT} --non-interactive`;
const FIRST_GROUP = release('functions:decks:getServiceInfo');
/** What a deploy of a project that has everything does. */
const RELEASES = [
  release('firestore,storage'),
  `firebase deploy --only=hosting '--message=release ID' --project=${PROJECT} --non-interactive`,
];

describe('a deploy', () => {
  it('prepares an empty project, deploys and checks the service', async () => {
    const place = await anEmptyProject();
    const { standIn } = place;
    standIn.propagating = 2;
    standIn.unknownApis = 2;
    made.refusals = 2;

    const told = await place.succeeds();

    expect(told).toContain('✓ client-address');
    expect(standIn.apis).toEqual(new Set(apis.map(({ name }) => name)));
    expect(standIn.databases).toMatchObject([{ type: 'FIRESTORE_NATIVE', locationId: 'us-central1' }]);
    expect(standIn.bucket).toMatchObject({
      location: 'us-central1',
      cors: [{ method: ['GET', 'HEAD'] }],
      lifecycle: {
        rule: [{ condition: { matchesPrefix: ['quarantine/'] } }, { condition: { matchesPrefix: ['exports/'] } }, {}],
      },
    });
    expect(standIn.exclusions).toEqual([logExclusion]);
    expect(standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: true });
    expect(standIn.authentication).toMatchObject({ client: { permissions: { disabledUserSignup: true } } });

    const granted = [...standIn.policies].flatMap(([resource, { bindings }]) =>
      bindings.filter(({ members }) => members.includes(ACCOUNT)).map(({ role }) => `${role} on ${resource}`),
    );
    expect(granted.sort()).toEqual([
      `roles/cloudtasks.enqueuer on ${PROJECT}`,
      `roles/datastore.user on ${PROJECT}`,
      `roles/firebaseauth.admin on ${PROJECT}`,
      `roles/iam.serviceAccountTokenCreator on ${ACCOUNT.replace('serviceAccount:', '')}`,
      `roles/iam.serviceAccountUser on ${ACCOUNT.replace('serviceAccount:', '')}`,
      'roles/run.invoker on finishdeletions',
      'roles/secretmanager.secretAccessor on RESEND_API_KEY',
      'roles/secretmanager.secretAccessor on RESEND_WEBHOOK_SECRET',
      'roles/secretmanager.secretAccessor on SERVICE_SECRET',
      `roles/storage.objectAdmin on ${BUCKET}`,
    ]);
    expect(new Set(granted.map((each) => each.split(' ')[0]))).toEqual(new Set(roles.map(({ name }) => name)));
    expect(place.settings()).toBe(
      `REGION=us-central1\nMAIL_FROM="Decks <decks@example.org>"\nSERVICE_ACCOUNT=${ACCOUNT.slice(15)}\n`,
    );

    const secrets = [...standIn.secretVersions.values()].flat();
    expect(standIn.secretVersions.get('RESEND_API_KEY')).toEqual([RESEND_KEY]);
    expect(standIn.secretVersions.get('RESEND_WEBHOOK_SECRET')).toEqual([WEBHOOK_SECRET]);
    expect(standIn.secretVersions.get('SERVICE_SECRET')).toEqual([expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)]);
    const shown = [...standIn.argumentsSeen, told].join('\n');
    for (const secret of each(secrets)) expect(shown).not.toContain(secret);
  });

  it('runs the programs on PATH with their arguments and standard input, and names one that is missing', async () => {
    const { around, standIn, fails } = await anEmptyProject();
    const env = withPrograms(around);
    const run = (args: string[], value = '') =>
      runProgram({ program: 'gcloud', args, input: { value, shownAs: '' } }, around.root, env);
    const strange = `--it's=$(a) "b"`;
    expect(await run([strange], 'secret')).toMatchObject({ status: 1, stderr: expect.stringContaining('unknown') });
    expect(standIn.argumentsSeen).toEqual([strange]);
    expect(await run(['auth', 'list', '--format=json'])).toMatchObject({ status: 0, stdout: /me@example/ });
    around.run = (command) => runProgram(command, around.root, { PATH: '' });
    expect(await fails({ only: 'secrets' })).toMatch(/gcloud could not be started[^]*add its folder to PATH/);
  });

  it('changes nothing when it runs again, but deploys rules and site, and waits for APIs that the first run enabled', async () => {
    const { standIn, succeeds } = await aDeployedProject();
    const first = standIn.snapshot();
    const secrets = structuredClone(standIn.secretVersions);
    standIn.unknownApis = 2;
    expect(await succeeds()).toContain('… waiting until Google knows the new account or API everywhere');
    expect([withoutIds(standIn.changes), standIn.snapshot()]).toEqual([RELEASES, first]);
    expect(standIn.secretVersions).toEqual(secrets);
  });

  it('prints in a dry run the commands that a first deploy with deck origins and alerts runs, and runs none', async () => {
    const options = { deckOrigin: ORIGIN, set: ['ALERT_EMAIL=operator@example.org'] };
    const dry = await anEmptyProject({ env: {} });
    const printed = (await dry.succeeds({ ...options, dryRun: true })).split('\n');
    expect(dry.standIn.lines).toEqual([]);
    const real = await anEmptyProject();
    // A new project has no API enabled that the deploy needs.
    real.standIn.apis.clear();
    addRecords(real);
    await real.succeeds(options);
    const plan = printed
      .filter((line) => line !== '' && !/^(#|echo )/.test(line))
      .map((line) => {
        const [, method, url] = /^curl .*-X (\w+) .* '?https:\/(\S+?)'?$/.exec(line) ?? [];
        if (method) return `${method} ${url}`;
        return line
          .replace(/^.* \| /, '')
          .replace(/"(--member=serviceAccount:)\$\(.*\)(-compute@.*?)"/, '$14711$2')
          .replace(/"(--billing-account=)\$\(.*?\)"/, `$1${BILLING_ACCOUNT}`)
          .replace(/'(--notifications.*)<its id>'/, '$11');
      });
    expect(withoutIds(plan)).toEqual(withoutIds(real.standIn.changes));
    expect(printed).toContain(`echo 'DECK_ORIGIN="${ORIGIN}"' >> functions/.env.${PROJECT}`);
  });

  it('continues after a cut, and names the step of a refused look', async () => {
    const story = { start: anEmptyProject };
    const whole = await wholeDeploy(story);
    const change = (part: string) => whole.changes.find((line) => line.includes(part))!;
    await continuesAfter(story, change('secrets'), 'after', whole);
    await continuesAfter(story, change('--only=functions:'), 'before', whole);
    await namesTheLook(story, whole.looks.at(-1)!);
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
    const { standIn, fails } = await anEmptyProject();
    prepare(standIn);
    expect(await fails()).toMatch(told);
  });

  // release.test.ts has the quota of instances.
  it('says what a refused quota means, also when the repository of the images is new', async () => {
    const { standIn, fails } = await anEmptyProject();
    standIn.failsToCreate = () => 'Quota exceeded for total allowable CPU per project per region.';
    const meaning = /✗ release[^]*exceed[^]*docs\/operating\.md, "When a quota is too small"/;
    expect(await fails()).toMatch(meaning);
    expect(standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: false });
    expect(await fails()).toMatch(meaning);
  });

  it('shows no secret when a program prints it and fails', async () => {
    const { around, fails } = await anEmptyProject();
    const run = around.run.bind(around);
    around.run = async (command) =>
      command.args.includes('RESEND_API_KEY') && command.input
        ? { status: 1, stdout: '', stderr: `Error: ${command.input.value} is refused` }
        : run(command);
    const told = await fails();
    expect(told).toContain('Error: <secret> is refused');
    expect(told).not.toContain(RESEND_KEY);
  });

  const inTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ? it : it.skip;
  inTerminal('does not show a secret that is typed', async () => {
    const { around, standIn } = await anEmptyProject();
    standIn.apis.add('secretmanager.googleapis.com');
    standIn.accounts.add(ACCOUNT.slice(15));
    const env = { ...withPrograms(around), RESEND_API_KEY: undefined, RESEND_WEBHOOK_SECRET: WEBHOOK_SECRET };
    const command = `${process.execPath} ${join(projectRoot, 'scripts', 'deploy.mjs')}`;
    const line = `${command} --project ${PROJECT} --only secrets`;
    const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const wasAsked = shown.includes('Resend API key');
      shown += chunk.toString();
      if (!wasAsked && shown.includes('Resend API key')) child.stdin.write(`${RESEND_KEY}\r`);
    });
    const [status] = (await once(child, 'close')) as [number];
    expect([status, shown]).toEqual([0, expect.stringContaining('✓ secrets')]);
    expect(standIn.secretVersions.get('RESEND_API_KEY')).toEqual([RESEND_KEY]);
    for (const [value] of each(standIn.secretVersions.values())) expect(shown).not.toContain(value);
  });

  it.each([
    ['rules', '--only=firestore,storage', { hasConfiguration: true, hasRelease: false }],
    ['functions', '--only=functions:', { hasConfiguration: false, hasRelease: true }],
  ])('leaves nothing behind when Ctrl-C ends it while it deploys the %s', async (_what, target, begun) => {
    const { around, standIn, settings } = await aDeployedProject();
    const { root } = around;
    standIn.databases.push({ ...standIn.databases[0]!, name: `projects/${PROJECT}/databases/copy` });
    // The bundle finds the settings and the built functions beside it.
    execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs'), 'deploy']);
    copyFileSync(join(projectRoot, '.build', 'deploy.js'), join(root, 'deploy.js'));
    const built = {
      endpoints: Object.fromEntries(standIn.source.map(({ name }) => [name, { region: ['us-central1'] }])),
    };
    mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
    writeFileSync(
      join(root, 'node_modules', '.bin', 'firebase-functions'),
      `require('fs').writeFileSync(process.env.FUNCTIONS_MANIFEST_OUTPUT_PATH, '${JSON.stringify(built)}');`,
    );
    const left = () => ({
      hasConfiguration: existsSync(join(root, 'firebase.database.json')),
      hasRelease: settings().includes('RELEASE_ID='),
    });
    const args = ['deploy.js', '--project', PROJECT, '--only', 'release', '--set', 'DATABASE_ID=copy'];
    const child = spawn(process.execPath, args, { cwd: root, env: withPrograms(around), stdio: 'ignore' });
    let seen: ReturnType<typeof left> | undefined;
    standIn.refuses = (line) => {
      if (!line.includes(target)) return undefined;
      seen = left();
      child.kill('SIGINT');
      return 'before';
    };
    expect(await once(child, 'close')).toEqual([130, null]);
    expect([seen, left()]).toEqual([begun, { hasConfiguration: false, hasRelease: false }]);
  });

  it('fails for a missing value without a terminal, and asks for it in one', async () => {
    const { around, standIn, fails, succeeds } = await anEmptyProject();
    around.env = { STAND_IN: around.env['STAND_IN'] };
    expect(await fails()).toMatch(/✗ settings .*missing[\s\S]*--mail-from/);
    expect(await fails({ mailFrom: 'decks@example.org' })).toMatch(/✗ secrets .*Resend[\s\S]*RESEND_API_KEY/);
    const asked: [string, boolean | undefined][] = [];
    around.ask = (question, isSecret) => {
      asked.push([question, isSecret]);
      return Promise.resolve(question.startsWith('Resend API') ? `${RESEND_KEY}\n` : '');
    };
    await succeeds();
    expect(asked).toEqual([
      [expect.stringContaining('Resend API key'), true],
      [expect.stringMatching(/http\S+\/receiveMailEvents/), true],
      [expect.stringContaining('empty: no test'), undefined],
    ]);
    expect(standIn.secretVersions.get('RESEND_API_KEY')).toEqual([RESEND_KEY]);
    expect(standIn.secretVersions.get('RESEND_WEBHOOK_SECRET')).toEqual(['none']);
  });

  it('keeps the region of an earlier deploy, and moves the functions only when told', async () => {
    const { standIn, succeeds, fails } = await aDeployedProject({ region: 'europe-west1' });
    expect(standIn.databases[0]!.locationId).toBe('europe-west1');
    expect(await fails({ region: 'us-east1' })).toMatch(/✗ settings .*has the region europe-west1, not us-east1/);
    await succeeds();
    expect(standIn.functionsIn).toBe('europe-west1');
    expect(standIn.changes.join('\n')).not.toContain('--force');
  });

  it('warns while its settings do not say who runs the service', async () => {
    const { around, succeeds, settingsFile } = await anEmptyProject();
    const warning = '! The pages /privacy and /terms do not say who runs the service. Set OPERATOR_';
    expect(await succeeds()).toContain(`${warning}NAME, OPERATOR_ADDRESS,`);
    const names = ['NAME', 'ADDRESS', 'CONTACT', 'COUNTRY'];
    appendFileSync(settingsFile, names.map((name) => `OPERATOR_${name}=x\n`).join(''));
    expect(await succeeds()).not.toContain(warning);
    const name = `The "Decks" \\ Ada's Ltd #1`;
    await succeeds({ set: [`OPERATOR_NAME=${name}`], only: 'settings' });
    appendFileSync(settingsFile, `export OPERATOR_ADDRESS='1 "High" Street' # home\nOPERATOR_CONTACT="a\nb" \n`);
    const { operator } = addressesOf(around.root, PROJECT);
    expect(operator).toEqual({ name, address: '1 "High" Street', contact: 'a\nb', country: 'x' });
    expect(new Settings(around.root, PROJECT).get('OPERATOR_NAME')).toBe(name);
    // As firebase-tools reads them.
    const rows = [
      [`'Ada's Ltd'`, `Ada's Ltd`],
      ['"Ada "Countess" L"', 'Ada "Countess" L'],
      ['"a" b', '"a" b'],
      [`'a\\'`, 'a\\'],
      ['"a\\\\n\\n\\r\\t\\v\\x" # b', 'a\\n\n\r\t\v\\x'],
      ['a#b', 'a'],
    ] as const;
    for (const [line, expected] of rows) {
      writeFileSync(settingsFile, `OPERATOR_NAME=${line}\r\nOPERATOR_COUNTRY='y'\n`);
      expect(addressesOf(around.root, PROJECT).operator).toEqual({ name: expected, country: 'y' });
      expect(new Settings(around.root, PROJECT).get('OPERATOR_NAME')).toBe(expected);
    }
  });

  it('keeps what the operator writes into the settings while it runs', async () => {
    const { around, settingsFile, settings, succeeds } = await anEmptyProject();
    const run = around.run.bind(around);
    around.run = (command) => {
      if (command.args.includes('--only=functions:decks:getServiceInfo'))
        appendFileSync(settingsFile, 'OPERATOR_NAME=Me\n');
      return run(command);
    };
    await succeeds();
    expect(settings()).toMatch(/^REGION=us-central1\n[^]*\nOPERATOR_NAME=Me\n$/);
    expect(settings()).not.toContain('RELEASE_ID');
  });

  it('keeps other settings, rules, exclusions and conditional roles of the operator, and enables its own exclusion', async () => {
    const place = await anEmptyProject();
    const { standIn } = place;
    const lines = '# Mine\nMAIL_PATIENCE_SECONDS=30 # seconds\nMAIL_FROM="A \\"B\\" <a@example.org>"\n';
    writeFileSync(place.settingsFile, lines);
    delete place.around.env['MAIL_FROM'];
    const rule = { action: { type: 'Delete' }, condition: { age: 400 } };
    const cors = { origin: ['https://app.example.org'], method: ['PUT'] };
    standIn.bucket = { location: 'us-east1', lifecycle: { rule: [rule] }, cors: [cors] };
    const mine = { name: 'mine', filter: 'severity<ERROR' };
    standIn.exclusions = [mine, { ...logExclusion, disabled: true }];
    const conditional = { role: 'roles/viewer', members: ['user:me@example.org'], condition: { title: 'until May' } };
    for (const resource of [BUCKET, 'SERVICE_SECRET', ACCOUNT.slice(15), PROJECT]) {
      standIn.policies.set(resource, { bindings: [structuredClone(conditional)] });
    }
    expect(await place.succeeds()).toMatch(/✓ bucket .*beside 1 CORS and 1 lifecycle rules that were there/);
    expect(place.settings()).toBe(`${lines}REGION=us-central1\nSERVICE_ACCOUNT=${ACCOUNT.slice(15)}\n`);
    expect(standIn.bucket.lifecycle).toEqual({ rule: [rule, {}, {}, {}].map((each) => expect.objectContaining(each)) });
    expect(standIn.bucket.cors).toEqual([cors, expect.objectContaining({ method: ['GET', 'HEAD'] })]);
    expect(standIn.exclusions).toEqual([mine, logExclusion]);
    expect(standIn.policy(BUCKET).bindings).toEqual([conditional, expect.objectContaining({ members: [ACCOUNT] })]);
    await place.succeeds();
    expect(withoutIds(standIn.changes)).toEqual(RELEASES);
  });

  it('deploys the functions when the indexes are built', async () => {
    const { standIn, succeeds, fails } = await anEmptyProject();
    standIn.buildingIndexes = 3;
    standIn.buildingFields = 5;
    expect(await succeeds()).toContain('… waiting until 2 indexes are built');
    const { lines } = standIn;
    const looks = lines.flatMap((line, i) => (line.includes('indexes fields list') ? [i] : []));
    expect([looks.length, looks.at(-1)! < lines.indexOf(FIRST_GROUP)]).toEqual([6, true]);
    standIn.buildingIndexes = 1000;
    expect(await fails({ from: 'release' })).toMatch(/✗ release .*1 indexes of the database are still being built/);
    expect(standIn.changes).toEqual([release('firestore,storage')]);
  });

  it('runs as the account that the operator chose, and creates only its own', async () => {
    const own = `own@${PROJECT}.iam.gserviceaccount.com`;
    const { standIn, settings, fails, succeeds } = await anEmptyProject();
    const told = await fails({ set: ['SERVICE_ACCOUNT=own@'] });
    expect(told).toMatch(/^✗ account .*own@\S+ of the setting SERVICE_ACCOUNT does not exist/m);
    standIn.accounts.add(own);
    await succeeds();
    expect([...standIn.accounts]).toEqual([own]);
    expect(JSON.stringify([...standIn.policies])).not.toContain('decks-functions');
    expect(settings()).toContain(`SERVICE_ACCOUNT=${own}\n`);
  });

  it('does not replace a disabled secret', async () => {
    const { standIn, fails } = await aDeployedProject();
    standIn.disabledSecrets.add('SERVICE_SECRET');
    expect(await fails()).toContain(`versions enable 1 --secret=SERVICE_SECRET --project=${PROJECT}`);
    expect(standIn.secretVersions.get('SERVICE_SECRET')).toHaveLength(1);
  });

  it('writes settings that options change also when it continues later', async () => {
    const { settingsFile, settings, succeeds } = await aDeployedProject();
    writeFileSync(settingsFile, `CPU_QUOTA=30\n${settings()}# Mine\nCPU_QUOTA=40\n`);
    await succeeds({ set: ['CPU_QUOTA=50'], mailFrom: 'other@example.org', from: 'release' });
    expect(settings()).toBe(
      `REGION=us-central1\nMAIL_FROM=other@example.org\nSERVICE_ACCOUNT=${ACCOUNT.slice(15)}\n# Mine\nCPU_QUOTA=50\n`,
    );
    await succeeds({ proxyHops: 1, only: 'jobs' });
    expect(settings()).toContain('TRUSTED_PROXY_HOPS=1\n');
  });

  it('refuses the setting by which webhooks reach private addresses, before it changes anything', async () => {
    const { settingsFile, settings, fails, standIn } = await aDeployedProject();
    writeFileSync(settingsFile, `${settings()}WEBHOOK_PRIVATE_TARGETS=true\n`);
    expect(await fails()).toContain('WEBHOOK_PRIVATE_TARGETS is set');
    expect(standIn.changes).toEqual([]);
  });

  it('uses the default site of the project, and keeps all images when the operator chose that', async () => {
    const sites = [{ name: `projects/${PROJECT}/sites/another-name`, type: 'DEFAULT_SITE' }];
    const { standIn, settings, succeeds } = await aDeployedProject({}, (place) => (place.standIn.sites = sites));
    const url = 'https://another-name.web.app';
    expect(settings()).toContain(`VIEWER_URL=${url}\nMARKETPLACE_URL=${url}\n`);
    standIn.hasCleanupPolicy = false;
    standIn.repositoryLabels = { 'firebase-functions-cleanup-opted-out': 'true' };
    await succeeds();
    expect(standIn.changes.join('\n')).not.toContain('setpolicy');
    standIn.repositoryLabels = {};
    await succeeds();
    expect(standIn.changes.join('\n')).toContain('firebase functions:artifacts:setpolicy --location=us-central1');
  });

  it('finishes the roles of functions that an earlier deploy made with another account', async () => {
    const { standIn, succeeds } = await aDeployedProject();
    standIn.policies.get('finishdeletions')!.bindings = [];
    await succeeds();
    const { bindings } = standIn.policies.get('finishdeletions')!;
    expect(bindings).toEqual([{ role: 'roles/run.invoker', members: [ACCOUNT] }]);
  });
});
