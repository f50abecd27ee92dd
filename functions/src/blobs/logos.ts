import { bucket, objectPaths, storageCall } from './bucket';

/** Stores the logo of a user's organization and returns its object path. Replaces an earlier logo of the same user. */
export async function storeLogo(userId: string, logo: { bytes: Buffer; contentType: string }): Promise<string> {
  const path = objectPaths.logo(userId);
  const object = (await bucket()).file(path);
  const options = { resumable: false, metadata: { contentType: logo.contentType } };
  await storageCall(() => object.save(logo.bytes, options));
  return path;
}
