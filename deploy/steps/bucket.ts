import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gcloud } from '../command';
import type { Deploy } from '../context';
import type { Step } from './step';

interface Configuration {
  cors?: unknown[];
  lifecycle?: { rule?: unknown[] };
}

const STORAGE_API = 'https://firebasestorage.googleapis.com/v1alpha/projects';

export const prepareBucket: Step = {
  name: 'bucket',
  about: 'the default bucket exists, with the CORS rules and the lifecycle of this folder',
  async run(deploy) {
    const { project, region } = deploy;
    const url = `${STORAGE_API}/${project}/defaultBucket`;
    const found = bucketOf(await deploy.call({ method: 'GET', url, project }, false));
    if (!found) {
      // https://firebase.google.com/docs/reference/rest/storage/rest/v1alpha/projects.defaultBucket/create
      const made = await deploy.call(
        { method: 'POST', url, body: { location: region }, project },
        true,
        `Open https://console.firebase.google.com/project/${project}/storage and choose Get started.`,
      );
      deploy.bucket = bucketOf(made) ?? deploy.bucket;
    } else deploy.bucket = found;
    await configure(deploy);
    return `${deploy.bucket}${found ? '' : ` created in ${region}`}, with CORS and lifecycle`;
  },
};

/** Reads the name of the default bucket for steps that run without this one. */
export async function findBucket(deploy: Deploy): Promise<void> {
  const { project } = deploy;
  const found = bucketOf(
    await deploy.call({ method: 'GET', url: `${STORAGE_API}/${project}/defaultBucket`, project }, false),
  );
  if (found) deploy.bucket = found;
}

function bucketOf({ body }: { body: unknown }): string | undefined {
  return (body as { bucket?: { name?: string } } | undefined)?.bucket?.name?.split('/').at(-1);
}

async function configure(deploy: Deploy): Promise<void> {
  const { project, bucket } = deploy;
  const { cors = [], lifecycle } = await deploy.look<Configuration>(
    gcloud('storage', 'buckets', 'describe', `gs://${bucket}`, '--raw', `--project=${project}`, '--format=json'),
    {},
  );
  const update = (option: string) =>
    deploy.act(gcloud('storage', 'buckets', 'update', `gs://${bucket}`, option, `--project=${project}`));
  const read = (file: string) => JSON.parse(readFileSync(join(deploy.around.root, file), 'utf8')) as unknown;
  if (!isDeepStrictEqual(cors, read('storage.cors.json'))) await update('--cors-file=storage.cors.json');

  const present = lifecycle?.rule ?? [];
  const { rule: wanted } = read('storage.lifecycle.json') as { rule: unknown[] };
  const missing = wanted.filter((rule) => !present.some((each) => isDeepStrictEqual(each, rule)));
  if (missing.length === 0) return;
  // The command replaces all rules, so that it would delete rules that an operator made.
  if (present.length > 0) {
    deploy.around.print(
      `! The bucket has other lifecycle rules, which stay. Add the rules of storage.lifecycle.json to them by hand.`,
    );
  } else await update('--lifecycle-file=storage.lifecycle.json');
}
