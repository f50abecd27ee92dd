/**
 * The times that the functions wait for Google's Firestore emulator. Its transactions wait for each other's locks, up to
 * 30 seconds (https://firebase.google.com/docs/emulator-suite/connect_firestore), which is longer than the default time
 * of one attempt.
 */
export const patientTimeouts = { ATTEMPT_TIMEOUT_MS: '45000', CALL_TIMEOUT_MS: '50000' };
