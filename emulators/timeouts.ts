/**
 * The times that the functions wait for Google's Firestore emulator. Its transactions wait for each other's locks, up
 * to 30 seconds (https://firebase.google.com/docs/emulator-suite/connect_firestore). The default time of one attempt is
 * shorter.
 */
export const patientTimeouts = { ATTEMPT_TIMEOUT_MS: '45000', CALL_TIMEOUT_MS: '50000' };
