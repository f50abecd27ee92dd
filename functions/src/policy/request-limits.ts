import { MB } from '../values/units';
import { largestCap } from './plans';

/** The limits of single calls that are equal for all plans; sizes in bytes. */
export const requestLimits = {
  /** Hashes in one call of precheckAssets. */
  precheckHashes: 2000,
  /** Files, and their bytes, in one call of uploadPresentationAssets. */
  uploadFiles: 200,
  uploadBytes: 256 * MB,
  /** Files in one call of createAssetUploads, and hashes in one call of completeAssetUploads. */
  directUploads: 500,
  /** Previews of versions that one user may ask for in one hour. */
  previewsAnHour: 120,
  /** Tests and repeated deliveries of webhooks that one organization may ask for in one hour. */
  webhookRequestsAnHour: 120,
  /** The body of commitPresentationVersion. */
  manifestBytes: 16 * MB,
  /** The body of uploadPresentationAsset: the largest file of all plans, and the other parts of the form. */
  formBytes: largestCap('assetBytes') + MB,
} as const;
