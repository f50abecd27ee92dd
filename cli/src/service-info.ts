import type { Contract } from '../../client/src/service/contract';
import { resolveAddress } from './address';
import { connect } from './connect';
import type { CommonOptions } from './session';
import type { Terminal } from './terminal';

export type ServiceInfo = Contract['getServiceInfo']['answer'];

/** What the service that the options name tells about itself. Needs no key. */
export async function askServiceInfo(
  options: CommonOptions,
  terminal: Terminal,
): Promise<{ baseUrl: string; info: ServiceInfo }> {
  const { baseUrl } = await resolveAddress(options);
  const service = connect(baseUrl, terminal);
  try {
    return { baseUrl, info: await service.get('getServiceInfo') };
  } finally {
    service.close();
  }
}
