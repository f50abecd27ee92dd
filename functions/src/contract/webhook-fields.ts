import { z } from 'zod';
import { config } from '../config';
import { webhookUrlProblem } from '../values/webhook-addresses';
import { example } from './example';
import { eventType } from './events';
import { boundedArray, id } from './fields';
import { optionalText } from './human-text';

/** The fields of webhooks that calls send. */

export const webhookId = id('webhookId').meta({ description: 'Id of the webhook.', example: example.webhookId });

const MAX_URL_LENGTH = 2048;

const anyType = z
  .enum(['*', ...eventType.options], { error: 'Send types of events, such as link.opened, or `*` for all.' })
  .meta({ description: 'A type of events, or `*` for all.' });

/** The types of the events of a webhook. */
export const webhookEvents = boundedArray(
  anyType,
  {
    min: 1,
    tooFew: 'A webhook needs a type of events, or `*` for all.',
    max: eventType.options.length,
    tooMany: `There are ${eventType.options.length} types of events.`,
  },
  (array) => array.transform((chosen) => (chosen.includes('*') ? ['*'] : [...new Set<string>(chosen)])),
).meta({
  description: 'The types of the events to send, or `*` for all, also for those of later versions of the service.',
  example: ['link.opened', 'view.ended'],
});

/** The address of a new webhook, in the spelling of the URL standard. */
export const newWebhookUrl = z
  .string()
  .max(MAX_URL_LENGTH)
  .check((context) => {
    const problem = webhookUrlProblem(context.value, config.allowsPrivateWebhooks());
    if (problem) context.issues.push({ code: 'custom', message: problem, input: context.value });
  })
  .overwrite((text) => (URL.canParse(text) ? new URL(text).href : text))
  .meta({
    description:
      'Where events are sent to: an address of the internet that begins with `https://`, at port 443 or 8443, without ' +
      'a name, a password or a fragment.',
    example: example.webhookUrl,
    format: 'uri',
  });

export const webhookDescription = optionalText({ max: 1000 }).meta({
  description: 'Purpose of the webhook.',
  example: 'Tells the CRM who opened an offer.',
});

export const webhookSecret = z.string().meta({
  description:
    'The secret that signs, as Standard Webhooks spells it. The service returns it once: a replayed answer lacks it.',
  example: example.webhookSecret,
});
