import type { Failure } from '../../client/src/failure';
import { NodeDeckService } from '../../client/src/service/node-service';
import { misfit } from './compatibility';
import { calledAddress } from './connect';

/** How long the client waits for an explanation of a failure that it can show without one. */
const PATIENCE_MILLISECONDS = 3_000;

/** The failure, with the reason when the client and the service do not fit. */
export async function explainMisfit(failure: Failure): Promise<Failure> {
  const baseUrl = calledAddress();
  if (baseUrl === undefined) return failure;
  const service = new NodeDeckService({ baseUrl });
  const once = { canRepeat: false, signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) };
  const info = await service.get('getServiceInfo', {}, once).catch(() => undefined);
  service.close();
  const problem = info && misfit(info, baseUrl);
  if (!problem) return failure;
  const { message, nextAction = '' } = problem;
  return failure.with({ message: `${failure.message} ${message}`, nextAction });
}
