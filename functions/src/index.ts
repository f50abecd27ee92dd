// Each area in the order in which a client calls its functions. The API reference has the same order.
export { getServiceInfo } from './endpoints/service/getServiceInfo';
export { getClientAddress } from './endpoints/service/getClientAddress';

export { cliRequestSignupOtp } from './endpoints/account/cliRequestSignupOtp';
export { cliCompleteSignup } from './endpoints/account/cliCompleteSignup';
export { completeDashboardSignup } from './endpoints/account/completeDashboardSignup';
export { cliRequestLoginOtp } from './endpoints/account/cliRequestLoginOtp';
export { cliCompleteLogin } from './endpoints/account/cliCompleteLogin';
export { codePage } from './endpoints/account/codePage';
export { getAccount } from './endpoints/account/getAccount';
export { updateProfile } from './endpoints/account/updateProfile';
export { updateOrganization } from './endpoints/account/updateOrganization';
export { getOrganizationLogo } from './endpoints/account/getOrganizationLogo';
export { exportAccount } from './endpoints/account/exportAccount';
export { getAccountExport } from './endpoints/account/getAccountExport';
export { getUsage } from './endpoints/account/getUsage';
export { requestAccountCode } from './endpoints/account/requestAccountCode';
export { changeEmail } from './endpoints/account/changeEmail';
export { deleteAccount } from './endpoints/account/deleteAccount';

export { verifyApiKey } from './endpoints/keys/verifyApiKey';
export { listApiKeys } from './endpoints/keys/listApiKeys';
export { createDashboardSession } from './endpoints/keys/createDashboardSession';
export { dashboardSession } from './endpoints/keys/dashboardSession';
export { createApiKey } from './endpoints/keys/createApiKey';
export { revokeApiKey } from './endpoints/keys/revokeApiKey';
export { listDashboardSessions } from './endpoints/keys/listDashboardSessions';
export { endDashboardSession } from './endpoints/keys/endDashboardSession';

export { precheckAssets } from './endpoints/uploads/precheckAssets';
export { uploadPresentationAsset } from './endpoints/uploads/uploadPresentationAsset';
export { uploadPresentationAssets } from './endpoints/uploads/uploadPresentationAssets';
export { createAssetUploads } from './endpoints/uploads/createAssetUploads';
export { completeAssetUploads } from './endpoints/uploads/completeAssetUploads';
export { commitPresentationVersion } from './endpoints/uploads/commitPresentationVersion';

export { listMyPresentations } from './endpoints/presentations/listMyPresentations';
export { getSharedPresentationInfo } from './endpoints/presentations/getSharedPresentationInfo';
export { listPresentationVersions } from './endpoints/presentations/listPresentationVersions';
export { getPresentationVersion } from './endpoints/presentations/getPresentationVersion';
export { previewPresentationVersion } from './endpoints/presentations/previewPresentationVersion';
export { diffPresentationVersions } from './endpoints/presentations/diffPresentationVersions';
export { downloadPresentationAsset } from './endpoints/presentations/downloadPresentationAsset';
export { restorePresentationVersion } from './endpoints/presentations/restorePresentationVersion';
export { renamePresentation } from './endpoints/presentations/renamePresentation';
export { setPresentationExpiry } from './endpoints/presentations/setPresentationExpiry';
export { deletePresentation } from './endpoints/presentations/deletePresentation';

export { uploadSlidePictures } from './endpoints/pictures/uploadSlidePictures';
export { listSlidePictures } from './endpoints/pictures/listSlidePictures';
export { getSlidePicture } from './endpoints/pictures/getSlidePicture';
export { setPresentationPictures } from './endpoints/pictures/setPresentationPictures';

export { addPresentationToken } from './endpoints/tokens/addPresentationToken';
export { setTokenVersionMode } from './endpoints/tokens/setTokenVersionMode';
export { updateShareToken } from './endpoints/tokens/updateShareToken';
export { getShareToken } from './endpoints/tokens/getShareToken';
export { unsharePresentation } from './endpoints/tokens/unsharePresentation';
export { listAccessRequests } from './endpoints/tokens/listAccessRequests';
export { answerAccessRequest } from './endpoints/tokens/answerAccessRequest';

export { startLiveSession } from './endpoints/live/startLiveSession';
export { getLiveSession } from './endpoints/live/getLiveSession';
export { moveLiveSession } from './endpoints/live/moveLiveSession';
export { followLiveSession } from './endpoints/live/followLiveSession';
export { endLiveSession } from './endpoints/live/endLiveSession';

export { listPresentationViews } from './endpoints/insights/listPresentationViews';
export { exportPresentationViews } from './endpoints/insights/exportPresentationViews';
export { getPresentationInsights } from './endpoints/insights/getPresentationInsights';
export { getOrganizationInsights } from './endpoints/insights/getOrganizationInsights';
export { setPresentationTracking } from './endpoints/insights/setPresentationTracking';
export { forgetReader } from './endpoints/insights/forgetReader';

export { previewShareEmail } from './endpoints/email/previewShareEmail';
export { sharePresentationViaEmail } from './endpoints/email/sharePresentationViaEmail';
export { listEmailSends } from './endpoints/email/listEmailSends';
export { receiveMailEvents } from './endpoints/email/receiveMailEvents';
export { mailPage } from './endpoints/email/mailPage';

export { inviteCollaborator } from './endpoints/collaborators/inviteCollaborator';
export { getInvitation } from './endpoints/collaborators/getInvitation';
export { listCollaborators } from './endpoints/collaborators/listCollaborators';
export { uninviteCollaborator } from './endpoints/collaborators/uninviteCollaborator';
export { leavePresentation } from './endpoints/collaborators/leavePresentation';

export { getSharedPresentation } from './endpoints/viewer/getSharedPresentation';
export { deckSite } from './endpoints/viewer/deckSite';
export { sharePage } from './endpoints/viewer/sharePage';
export { openShareLink } from './endpoints/viewer/openShareLink';
export { openSharePage } from './endpoints/viewer/openSharePage';
export { askForAccess } from './endpoints/viewer/askForAccess';
export { recordView } from './endpoints/viewer/recordView';
export { shortLink } from './endpoints/viewer/shortLink';

export { publishMarketplaceListing } from './endpoints/marketplace/publishMarketplaceListing';
export { updateMarketplaceListing } from './endpoints/marketplace/updateMarketplaceListing';
export { listMarketplaceListings } from './endpoints/marketplace/listMarketplaceListings';
export { getMarketplaceListing } from './endpoints/marketplace/getMarketplaceListing';
export { getMarketplaceListingContent } from './endpoints/marketplace/getMarketplaceListingContent';
export { listMarketplaceRemixes } from './endpoints/marketplace/listMarketplaceRemixes';
export { compareRemix } from './endpoints/marketplace/compareRemix';
export { updateRemix } from './endpoints/marketplace/updateRemix';
export { remixMarketplaceListing } from './endpoints/marketplace/remixMarketplaceListing';
export { starMarketplaceListing } from './endpoints/marketplace/starMarketplaceListing';
export { unstarMarketplaceListing } from './endpoints/marketplace/unstarMarketplaceListing';
export { recordMarketplaceView } from './endpoints/marketplace/recordMarketplaceView';
export { recordMarketplaceRemix } from './endpoints/marketplace/recordMarketplaceRemix';
export { reportMarketplaceListing } from './endpoints/marketplace/reportMarketplaceListing';
export { oembed } from './endpoints/marketplace/oembed';
export { marketplaceFeed } from './endpoints/marketplace/marketplaceFeed';
export { sitemap } from './endpoints/marketplace/sitemap';
export { marketplacePage } from './endpoints/marketplace/marketplacePage';
export { listingPage } from './endpoints/marketplace/listingPage';
export { reportPage } from './endpoints/marketplace/reportPage';
export { getListingPicture } from './endpoints/marketplace/getListingPicture';

export { listEvents } from './endpoints/events/listEvents';

export { createWebhook } from './endpoints/webhooks/createWebhook';
export { updateWebhook } from './endpoints/webhooks/updateWebhook';
export { rotateWebhookSecret } from './endpoints/webhooks/rotateWebhookSecret';
export { deleteWebhook } from './endpoints/webhooks/deleteWebhook';
export { listWebhooks } from './endpoints/webhooks/listWebhooks';
export { sendTestEvent } from './endpoints/webhooks/sendTestEvent';
export { listWebhookDeliveries } from './endpoints/webhooks/listWebhookDeliveries';
export { redeliverWebhook } from './endpoints/webhooks/redeliverWebhook';

export { mcp } from './endpoints/agents/mcp';

// The functions that the platform calls: by the queue of tasks, and by schedules.
export { deliverEvent } from './endpoints/jobs/deliverEvent';
export { exportAccounts } from './endpoints/jobs/exportAccounts';
export { deleteAccounts } from './endpoints/jobs/deleteAccounts';
export { finishDeletions } from './endpoints/jobs/finishDeletions';
export { foldInsights } from './endpoints/jobs/foldInsights';
export { foldMarketplaceCounters } from './endpoints/jobs/foldMarketplaceCounters';
export { sendViewNotices } from './endpoints/jobs/sendViewNotices';
export { forgetReaders } from './endpoints/jobs/forgetReaders';
export { finishAccountChanges } from './endpoints/jobs/finishAccountChanges';
export { makePictures } from './endpoints/jobs/makePictures';
export { notifyOwners } from './endpoints/jobs/notifyOwners';
export { recountUsage } from './endpoints/jobs/recountUsage';
export { refreshMarketplace } from './endpoints/jobs/refreshMarketplace';
export { removeAbandonedUploads } from './endpoints/jobs/removeAbandonedUploads';
export { removeExpiredSessions } from './endpoints/jobs/removeExpiredSessions';
export { sweepWebhooks } from './endpoints/jobs/sweepWebhooks';
export { removeOldViews } from './endpoints/jobs/removeOldViews';
