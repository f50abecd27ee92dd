import { z } from 'zod';
import { config } from '../../config';
import { endpoint } from '../../http/endpoint';
import { MAX_RECIPIENTS } from '../../policy/mail-rates';
import { largestCap, planCaps, plans, type PlanCaps } from '../../policy/plans';
import { requestLimits } from '../../policy/request-limits';
import { SESSION_TTL_SECONDS } from '../../records/upload-sessions';
import { MAX_ACTIVE_KEYS } from '../../values/keys';
import { MB } from '../../values/units';

export const Input = z.object({});

/**
 * The oldest client that works with this service. Raise it with a change of the API that an older client does not
 * survive.
 */
const OLDEST_CLIENT = '0.1.0';

const whole = (description: string, value: number) => z.int().positive().meta({ description, example: value });
const address = (description: string, value: string) => z.url().meta({ description, example: value });

const Limits = z
  .object({
    requestBytes: whole('The largest request. Larger files are uploaded with createAssetUploads.', 32 * MB),
    responseBytes: whole(
      'The largest file in one answer. A larger file is answered with a redirect to the bucket, except HTML, SVG and XML.',
      10 * MB,
    ),
    pageBytes: whole('The largest HTML, SVG or XML file that a new version may have.', 30 * MB),
    manifestBytes: whole('The largest body of commitPresentationVersion.', requestLimits.manifestBytes),
    previewsAnHour: whole(
      'The most previews of versions that one user may ask for in one hour.',
      requestLimits.previewsAnHour,
    ),
    webhookRequestsAnHour: whole(
      'The most tests and repeated deliveries of webhooks that one organization may ask for in one hour.',
      requestLimits.webhookRequestsAnHour,
    ),
    precheckHashes: whole('The most hashes in one call of precheckAssets.', requestLimits.precheckHashes),
    uploadFiles: whole('The most files in one call of uploadPresentationAssets.', requestLimits.uploadFiles),
    uploadBytes: whole('The most bytes of files in one call of uploadPresentationAssets.', 31 * MB),
    directUploads: whole(
      'The most files in one call of createAssetUploads or completeAssetUploads.',
      requestLimits.directUploads,
    ),
    sessionSeconds: whole('How long an upload session lives, in seconds.', SESSION_TTL_SECONDS),
    recipients: whole('The most addresses in one call of sharePresentationViaEmail.', MAX_RECIPIENTS),
    keys: whole('The most active API keys of an organization.', MAX_ACTIVE_KEYS),
  })
  .meta({ description: 'Limits that are equal for all plans; sizes in bytes.' });

const about: Record<keyof PlanCaps, string> = {
  filesPerManifest: 'The most files of a version.',
  deckBytes: 'The largest sum of the sizes of the files of a version.',
  htmlBytes: 'The largest HTML file.',
  assetBytes: 'The largest file of another type.',
  collaborators: 'The most collaborators of a deck that are not revoked.',
  decks: 'The most decks of the organization.',
  storedBytes: 'The most bytes that the decks store.',
  grantedBytes: 'The most bytes of direct uploads that are allowed and not completed.',
  newDecksPerHour: 'The most new decks and remixes in 60 minutes.',
  deliveriesPerDay: 'The events that are sent to webhooks in a day, in UTC. Above it, visits are told as one sum.',
  liveFollowers: 'The streams that follow a live session at once. Above it, followers ask every 5 seconds.',
};

const Caps = z
  .object(
    Object.fromEntries(
      Object.entries(about).map(([cap, text]) => [cap, whole(text, planCaps.free[cap as keyof PlanCaps])]),
    ) as Record<keyof PlanCaps, ReturnType<typeof whole>>,
  )
  .meta({ id: 'PlanCaps', description: 'The limits of a plan; sizes in bytes.' });

export const Answer = z.object({
  version: z.string().meta({
    description: 'The version of the service. The client that the service offers has the same version.',
    example: '0.1.0',
  }),
  client: z
    .object({
      oldest: z.string().meta({ description: 'The oldest version of the client that works.', example: '0.1.0' }),
      download: address('The packed client. npm installs it.', 'https://decks.example.com/deckhost.tgz'),
    })
    .meta({ description: 'The command-line client `deckhost` of this service.' }),
  baseUrl: address('The base URL of the API.', 'https://us-central1-decks.cloudfunctions.net'),
  viewerUrl: address('The base URL of the site that shows shared decks.', 'https://decks.example.com'),
  marketplaceUrl: address('The base URL of the site that shows the marketplace.', 'https://decks.example.com'),
  deckOrigins: z
    .boolean()
    .meta({ description: 'Whether each share link and each listing has an origin for its deck.', example: true }),
  limits: Limits,
  plans: z
    .object(Object.fromEntries(plans.map((plan) => [plan, Caps])) as Record<(typeof plans)[number], typeof Caps>)
    .meta({ description: 'The limits of each plan.' }),
});

export const getServiceInfo = endpoint({
  name: 'getServiceInfo',
  about: 'Tells what a client must know before it pushes: the addresses and the limits of the service.',
  command: 'deck doctor',
  method: 'GET',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'read' },
  cost: { roundTrips: 0, reads: 0, writes: 0 },

  handle({ answerHeaders }) {
    answerHeaders['Cache-Control'] = 'public, max-age=3600';
    const requestBytes = Math.min(config.maxRequestBytes(), requestLimits.formBytes);
    const { formBytes: _, ...limits } = requestLimits;
    return Promise.resolve({
      version: config.version(),
      client: { oldest: OLDEST_CLIENT, download: config.clientUrl() },
      baseUrl: config.baseUrl(),
      viewerUrl: config.viewerUrl(),
      marketplaceUrl: config.marketplaceUrl(),
      deckOrigins: config.deckOrigin() !== undefined,
      limits: {
        ...limits,
        requestBytes,
        // The names and headers of the parts need less than 1 MB.
        uploadBytes: Math.min(limits.uploadBytes, requestBytes - MB),
        responseBytes: Math.min(config.maxResponseBytes(), largestCap('assetBytes')),
        pageBytes: Math.min(config.maxPageBytes(), largestCap('assetBytes')),
        sessionSeconds: SESSION_TTL_SECONDS,
        recipients: MAX_RECIPIENTS,
        keys: MAX_ACTIVE_KEYS,
      },
      plans: planCaps,
    });
  },
});
