import { z } from 'zod';
import { code } from '../errors';

/** The texts of a mail with which an owner shares a deck. */

export const mailMessage = z
  .string()
  .max(2000, code('message-too-long'))
  .nullish()
  .meta({ description: 'Message in the email.', example: 'Here are the numbers.' });

export const mailSubject = z.string().max(200).nullish().meta({
  description: 'Subject of the email. The default is `<address of the sender> shared: <title>`.',
  example: 'The numbers of this quarter',
});
