import { config } from '../config';

/** The address of the page on which the recipient of a mail stops mails. See `mailTokenFor`. */
export const mailPageUrl = (token: string) => `${config.viewerUrl()}/mail/${token}`;
