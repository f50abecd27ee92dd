import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Network } from './network';

/** The types of questions, and an address as an answer to each (RFC 1035, RFC 3596). */
const addresses: Record<number, Buffer> = {
  1: Buffer.from('cb007107', 'hex'),
  28: Buffer.from('20010db8000000000000000000000007', 'hex'),
};
export const responses = { noError: 0, serverFailure: 2, noName: 3, refused: 5 } as const;

/** Starts a name server on this machine that answers for every host of the network. */
export async function startNameServer(network: Network): Promise<{ address: string; close: () => void }> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => socket.send(answerTo(question, network), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() };
}

function answerTo(query: Buffer, { hasRecords, records, response }: Network): Buffer {
  // The name of the question ends with an empty label. Its type and its class follow.
  const end = query.indexOf(0, 12) + 5;
  const type = query.readUInt16BE(end - 4);
  const address = hasRecords && records.includes(type) ? addresses[type] : undefined;
  const code = response ?? (hasRecords ? responses.noError : responses.noName);
  const isGiven = address && code === responses.noError;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isGiven ? 1 : 0, 6);
  if (!isGiven) return Buffer.concat([header, query.subarray(12, end)]);
  // A pointer to the name, the type, the class, a minute to live, and the length of the address.
  const record = Buffer.from('c00c000000010000003c0000', 'hex');
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(address.length, 10);
  return Buffer.concat([header, query.subarray(12, end), record, address]);
}
