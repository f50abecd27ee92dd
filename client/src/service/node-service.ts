import { NodeTransport } from './node-transport';
import { DeckService, type ServiceOptions } from './service';

/** A client of the service in Node. */
export class NodeDeckService extends DeckService {
  constructor({ transport = new NodeTransport(), ...options }: ServiceOptions) {
    super({ ...options, transport });
  }
}
