import { forEachAtOnce, onService, servicesOf } from '../cloud-run';
import type { Deploy } from '../context';
import type { Step } from './step';

/** The annotation of a revision whose instances get more CPU while they start. */
const BOOST = 'run.googleapis.com/startup-cpu-boost';

export const speedUpStarts: Step = {
  name: 'boost',
  about: 'the instances of all functions get more CPU while they start',
  run: boost,
};

/**
 * Switches the boost on where it is off. Cloud Functions switches it on for new functions, but neither firebase-tools
 * nor the API of Cloud Functions has an option for it, so that this looks after each release
 * (https://docs.cloud.google.com/run/docs/configuring/services/cpu#startup-boost).
 */
export async function boost(deploy: Deploy): Promise<string> {
  const { endpoints } = await deploy.built();
  const services = await servicesOf(deploy, endpoints);
  const slow = services.filter(({ spec }) => spec.template.metadata?.annotations?.[BOOST] !== 'true');
  await forEachAtOnce(slow, ({ metadata }) => deploy.act(onService(deploy, metadata.name, 'update', '--cpu-boost')));
  return slow.length === 0 ? `on for ${endpoints.length} functions` : `switched on for ${slow.length} functions`;
}
