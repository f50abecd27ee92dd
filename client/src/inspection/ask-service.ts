import type { Contract } from '../service/contract';
import type { DeckService } from '../service/service';

export type ServiceInfo = Contract['getServiceInfo']['answer'];
export type Usage = Contract['getUsage']['answer'];
export type Plan = Usage['plan'];

/** How long a push waits for such an answer: it needs it for warnings only. */
const PATIENCE_MILLISECONDS = 10_000;

const once = () => ({ canRepeat: false, signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) });

/** What the service tells about itself. Undefined when it does not tell it. */
export async function askInfo(service: DeckService): Promise<ServiceInfo | undefined> {
  return service.get('getServiceInfo', {}, once()).catch(() => undefined);
}

/** What the caller's plan allows. Undefined when the service does not tell it, such as for a key without the scope. */
export async function askUsage(service: DeckService): Promise<Usage | undefined> {
  return service.get('getUsage', {}, once()).catch(() => undefined);
}
