import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { firestoreService } from '../../local/firestore/wire';

export const ROOT = 'projects/demo-decks/databases/(default)';
export const DOCUMENTS = `${ROOT}/documents`;

/** The status of a call that failed. */
export type Failure = { code: number; message: string };
export type Answer = { failure: Failure } | { responses: object[] };

/** A client without the checks of the SDK: it sends any request of the protocol. */
export class RawFirestore {
  private readonly client: Client;
  private readonly metadata = new Metadata();

  constructor(port: number) {
    this.client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    this.metadata.add('authorization', 'Bearer owner');
    this.metadata.add('google-cloud-resource-prefix', ROOT);
  }

  call(method: string, request: object): Promise<Answer> {
    const { path, requestSerialize, responseDeserialize, responseStream } = firestoreService[method]!;
    const serialize = requestSerialize as (message: object) => Buffer;
    const parse = responseDeserialize as (bytes: Buffer) => object;
    const failed = ({ code, details }: ServiceError): Answer => ({ failure: { code, message: details } });
    return new Promise((resolve) => {
      if (!responseStream) {
        this.client.makeUnaryRequest(path, serialize, parse, request, this.metadata, (error, response) =>
          resolve(error ? failed(error) : { responses: [response!] }),
        );
        return;
      }
      const responses: object[] = [];
      const stream = this.client.makeServerStreamRequest(path, serialize, parse, request, this.metadata);
      stream.on('data', (response: object) => responses.push(response));
      stream.on('error', (error: ServiceError) => resolve(failed(error)));
      stream.on('end', () => resolve({ responses }));
    });
  }

  close(): void {
    this.client.close();
  }
}
