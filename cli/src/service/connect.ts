import { isInsecure } from '../address';
import type { Terminal } from '../terminal';
import { Service } from './service';

/** The service at `baseUrl`, telling the terminal when it has to wait. The caller closes it. */
export function connect(baseUrl: string, terminal: Terminal, key?: string): Service {
  if (isInsecure(baseUrl)) terminal.warn(`${baseUrl} is not encrypted: others on the network can read your key.`);
  return new Service({ baseUrl, key, onWait: (reason) => terminal.waiting(reason) });
}
