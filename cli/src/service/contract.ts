import type * as cliCompleteLogin from '../../../functions/src/endpoints/account/cliCompleteLogin';
import type * as cliCompleteSignup from '../../../functions/src/endpoints/account/cliCompleteSignup';
import type * as cliRequestLoginOtp from '../../../functions/src/endpoints/account/cliRequestLoginOtp';
import type * as cliRequestSignupOtp from '../../../functions/src/endpoints/account/cliRequestSignupOtp';
import type * as createApiKey from '../../../functions/src/endpoints/keys/createApiKey';
import type * as createDashboardSession from '../../../functions/src/endpoints/keys/createDashboardSession';
import type * as endDashboardSession from '../../../functions/src/endpoints/keys/endDashboardSession';
import type * as revokeApiKey from '../../../functions/src/endpoints/keys/revokeApiKey';
import type * as verifyApiKey from '../../../functions/src/endpoints/keys/verifyApiKey';
import type * as getMarketplaceListing from '../../../functions/src/endpoints/marketplace/getMarketplaceListing';
import type * as publishMarketplaceListing from '../../../functions/src/endpoints/marketplace/publishMarketplaceListing';
import type * as recordMarketplaceRemix from '../../../functions/src/endpoints/marketplace/recordMarketplaceRemix';
import type * as remixMarketplaceListing from '../../../functions/src/endpoints/marketplace/remixMarketplaceListing';
import type * as updateMarketplaceListing from '../../../functions/src/endpoints/marketplace/updateMarketplaceListing';
import type * as getPresentationVersion from '../../../functions/src/endpoints/presentations/getPresentationVersion';
import type * as getSharedPresentationInfo from '../../../functions/src/endpoints/presentations/getSharedPresentationInfo';
import type * as listMyPresentations from '../../../functions/src/endpoints/presentations/listMyPresentations';
import type * as commitPresentationVersion from '../../../functions/src/endpoints/uploads/commitPresentationVersion';
import type * as completeAssetUploads from '../../../functions/src/endpoints/uploads/completeAssetUploads';
import type * as createAssetUploads from '../../../functions/src/endpoints/uploads/createAssetUploads';
import type * as precheckAssets from '../../../functions/src/endpoints/uploads/precheckAssets';
import type * as uploadPresentationAssets from '../../../functions/src/endpoints/uploads/uploadPresentationAssets';

/** A zod schema, as far as its types go: the client needs no zod to know them. */
interface Schema {
  _zod: { input: unknown; output: unknown };
}

interface Call<Module extends { Input: Schema; Answer: Schema }> {
  input: Module['Input']['_zod']['input'];
  answer: Module['Answer']['_zod']['output'];
}

/**
 * The calls that the client makes, in the server's own words: these are types of its schemas, and nothing of the server
 * becomes part of the client.
 */
export interface Contract {
  cliRequestSignupOtp: Call<typeof cliRequestSignupOtp>;
  cliCompleteSignup: Call<typeof cliCompleteSignup>;
  cliRequestLoginOtp: Call<typeof cliRequestLoginOtp>;
  cliCompleteLogin: Call<typeof cliCompleteLogin>;
  verifyApiKey: Call<typeof verifyApiKey>;
  revokeApiKey: Call<typeof revokeApiKey>;
  createDashboardSession: Call<typeof createDashboardSession>;
  createApiKey: Call<typeof createApiKey>;
  endDashboardSession: Call<typeof endDashboardSession>;
  precheckAssets: Call<typeof precheckAssets>;
  uploadPresentationAssets: Call<typeof uploadPresentationAssets>;
  createAssetUploads: Call<typeof createAssetUploads>;
  completeAssetUploads: Call<typeof completeAssetUploads>;
  commitPresentationVersion: Call<typeof commitPresentationVersion>;
  listMyPresentations: Call<typeof listMyPresentations>;
  getSharedPresentationInfo: Call<typeof getSharedPresentationInfo>;
  getPresentationVersion: Call<typeof getPresentationVersion>;
  publishMarketplaceListing: Call<typeof publishMarketplaceListing>;
  updateMarketplaceListing: Call<typeof updateMarketplaceListing>;
  getMarketplaceListing: Call<typeof getMarketplaceListing>;
  remixMarketplaceListing: Call<typeof remixMarketplaceListing>;
  recordMarketplaceRemix: Call<typeof recordMarketplaceRemix>;
}
