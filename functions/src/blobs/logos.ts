import { bucket, objectPaths } from './bucket';

/** Stores the logo of a user's organization and returns its object path. Replaces an earlier logo of the same user. */
export async function storeLogo(userId: string, logo: { bytes: Buffer; contentType: string }): Promise<string> {
  const path = objectPaths.logo(userId);
  await (await bucket()).file(path).save(logo.bytes, { resumable: false, metadata: { contentType: logo.contentType } });
  return path;
}
