import { bucket, objectPaths } from './bucket';

/** Stores an organization's logo and returns where. */
export async function storeLogo(userId: string, logo: { bytes: Buffer; contentType: string }): Promise<string> {
  const path = objectPaths.logo(userId);
  await (await bucket()).file(path).save(logo.bytes, { resumable: false, metadata: { contentType: logo.contentType } });
  return path;
}
