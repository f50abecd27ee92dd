// The global options reach only what is defined after them.
import './options';

export { cliCompleteLogin } from './endpoints/account/cliCompleteLogin';
export { cliCompleteSignup } from './endpoints/account/cliCompleteSignup';
export { cliRequestLoginOtp } from './endpoints/account/cliRequestLoginOtp';
export { cliRequestSignupOtp } from './endpoints/account/cliRequestSignupOtp';
export { inviteCollaborator } from './endpoints/collaborators/inviteCollaborator';
export { listCollaborators } from './endpoints/collaborators/listCollaborators';
export { uninviteCollaborator } from './endpoints/collaborators/uninviteCollaborator';
export { listEmailSends } from './endpoints/email/listEmailSends';
export { sharePresentationViaEmail } from './endpoints/email/sharePresentationViaEmail';
export { createApiKey } from './endpoints/keys/createApiKey';
export { createDashboardSession } from './endpoints/keys/createDashboardSession';
export { endDashboardSession } from './endpoints/keys/endDashboardSession';
export { listApiKeys } from './endpoints/keys/listApiKeys';
export { revokeApiKey } from './endpoints/keys/revokeApiKey';
export { verifyApiKey } from './endpoints/keys/verifyApiKey';
export { listMarketplaceListings } from './endpoints/marketplace/listMarketplaceListings';
export { publishMarketplaceListing } from './endpoints/marketplace/publishMarketplaceListing';
export { remixMarketplaceListing } from './endpoints/marketplace/remixMarketplaceListing';
export { updateMarketplaceListing } from './endpoints/marketplace/updateMarketplaceListing';
export { deletePresentation } from './endpoints/presentations/deletePresentation';
export { diffPresentationVersions } from './endpoints/presentations/diffPresentationVersions';
export { downloadPresentationAsset } from './endpoints/presentations/downloadPresentationAsset';
export { getPresentationVersion } from './endpoints/presentations/getPresentationVersion';
export { getSharedPresentationInfo } from './endpoints/presentations/getSharedPresentationInfo';
export { listMyPresentations } from './endpoints/presentations/listMyPresentations';
export { listPresentationVersions } from './endpoints/presentations/listPresentationVersions';
export { restorePresentationVersion } from './endpoints/presentations/restorePresentationVersion';
export { setPresentationExpiry } from './endpoints/presentations/setPresentationExpiry';
export { addPresentationToken } from './endpoints/tokens/addPresentationToken';
export { setTokenVersionMode } from './endpoints/tokens/setTokenVersionMode';
export { unsharePresentation } from './endpoints/tokens/unsharePresentation';
export { commitPresentationVersion } from './endpoints/uploads/commitPresentationVersion';
export { completeAssetUploads } from './endpoints/uploads/completeAssetUploads';
export { createAssetUploads } from './endpoints/uploads/createAssetUploads';
export { precheckAssets } from './endpoints/uploads/precheckAssets';
export { uploadPresentationAsset } from './endpoints/uploads/uploadPresentationAsset';
export { uploadPresentationAssets } from './endpoints/uploads/uploadPresentationAssets';
export { getSharedPresentation } from './endpoints/viewer/getSharedPresentation';
export { sharePage } from './endpoints/viewer/sharePage';

// Run by a schedule.
export { finishDeletions } from './endpoints/jobs/finishDeletions';
export { removeAbandonedUploads } from './endpoints/jobs/removeAbandonedUploads';
export { removeExpiredSessions } from './endpoints/jobs/removeExpiredSessions';
