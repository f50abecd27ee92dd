import { version } from '../package.json';
import { NodeTransport } from '../../client/src/service/node-transport';
import { DeckService } from '../../client/src/service/service';
import type { Terminal } from './terminal';
import { isOpenToOthers } from './this-computer';

const USER_AGENT = `deckhost/${version} node/${process.versions.node}`;

/** The address that the running command has called. */
let called: string | undefined;
export const calledAddress = (): string | undefined => called;

/** A client of the service at `baseUrl`. It tells the terminal when it has to wait. The caller closes it. */
export function connect(baseUrl: string, terminal: Terminal, key?: string): DeckService {
  if (isOpenToOthers(new URL(baseUrl)))
    terminal.warn(`${baseUrl} is not encrypted: others on the network can read your key.`);
  called = baseUrl;
  const transport = new NodeTransport(USER_AGENT);
  const { signal } = terminal;
  const onWait = (reason: string) => terminal.waiting(reason);
  const onSilence = (isSilent: boolean) => terminal.silence(isSilent ? new URL(baseUrl).host : undefined);
  return new DeckService({ baseUrl, key, transport, signal, onWait, onSilence });
}
