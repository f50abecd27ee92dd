// The global options reach only what is defined after them.
import './options';

export { cliCompleteLogin } from './endpoints/account/cliCompleteLogin';
export { cliCompleteSignup } from './endpoints/account/cliCompleteSignup';
export { cliRequestLoginOtp } from './endpoints/account/cliRequestLoginOtp';
export { cliRequestSignupOtp } from './endpoints/account/cliRequestSignupOtp';
export { verifyApiKey } from './endpoints/keys/verifyApiKey';
export { listMyPresentations } from './endpoints/presentations/listMyPresentations';
export { commitPresentationVersion } from './endpoints/uploads/commitPresentationVersion';
export { precheckAssets } from './endpoints/uploads/precheckAssets';
export { uploadPresentationAsset } from './endpoints/uploads/uploadPresentationAsset';
export { getSharedPresentation } from './endpoints/viewer/getSharedPresentation';
export { sharePage } from './endpoints/viewer/sharePage';
