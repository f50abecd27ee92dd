import { code } from '../errors';
import { optionalText } from './human-text';

/** The texts of a mail with which an owner shares a deck. */

export const mailMessage = optionalText({ max: 2000, tooLong: code('message-too-long'), lines: true }).meta({
  description: 'Message in the email.',
  example: 'Here are the numbers.',
});

export const mailSubject = optionalText({ max: 200 }).meta({
  description: 'Subject of the email. The default is `<address of the sender> shared: <title>`.',
  example: 'The numbers of this quarter',
});
