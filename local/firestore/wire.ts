import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import descriptor from '@google-cloud/firestore/build/protos/v1.json';
import { type Method, Root, type Type } from 'protobufjs/light';

/** `google.protobuf.Timestamp`. An int64 is a decimal string; absent means zero. */
export interface Timestamp {
  seconds?: string | number;
  nanos?: number;
}

/** `google.firestore.v1.Value`: exactly one key is set. */
export interface Value {
  nullValue?: 'NULL_VALUE';
  booleanValue?: boolean;
  integerValue?: string;
  doubleValue?: number;
  timestampValue?: Timestamp;
  stringValue?: string;
  bytesValue?: Buffer;
  referenceValue?: string;
  geoPointValue?: { latitude?: number; longitude?: number };
  arrayValue?: { values?: Value[] };
  mapValue?: { fields?: Fields };
}
export type ValueKind = keyof Value;
export type Fields = Record<string, Value>;

export interface Document {
  name: string;
  fields?: Fields;
  createTime?: Timestamp;
  updateTime?: Timestamp;
}

export interface Precondition {
  exists?: boolean;
  updateTime?: Timestamp;
}

export interface FieldTransform {
  fieldPath?: string;
  setToServerValue?: string;
  increment?: Value;
  maximum?: Value;
  minimum?: Value;
  appendMissingElements?: { values?: Value[] };
  removeAllFromArray?: { values?: Value[] };
}

export interface Write {
  update?: Document;
  delete?: string;
  transform?: { document?: string; fieldTransforms?: FieldTransform[] };
  updateMask?: { fieldPaths?: string[] };
  updateTransforms?: FieldTransform[];
  currentDocument?: Precondition;
}

export interface WriteResult {
  updateTime?: Timestamp;
  transformResults?: Value[];
}

export interface TransactionOptions {
  readOnly?: { readTime?: Timestamp };
  readWrite?: { retryTransaction?: Buffer };
}

export interface FilterProto {
  compositeFilter?: { op?: string; filters?: FilterProto[] };
  fieldFilter?: { field?: { fieldPath?: string }; op?: string; value?: Value };
  unaryFilter?: { op?: string; field?: { fieldPath?: string } };
}

export interface CursorProto {
  values?: Value[];
  before?: boolean;
}

export interface StructuredQuery {
  select?: { fields?: { fieldPath?: string }[] };
  from?: { collectionId?: string; allDescendants?: boolean }[];
  where?: FilterProto;
  orderBy?: { field?: { fieldPath?: string }; direction?: string }[];
  startAt?: CursorProto;
  endAt?: CursorProto;
  offset?: number;
  limit?: { value?: number };
  findNearest?: unknown;
}

export interface AggregationProto {
  alias?: string;
  count?: { upTo?: { value?: string } };
  sum?: { field?: { fieldPath?: string } };
  avg?: { field?: { fieldPath?: string } };
}

/** Selects the state for a read: the newest state, the state at a time, or the snapshot of a transaction. */
export interface Consistency {
  transaction?: Buffer;
  newTransaction?: TransactionOptions;
  readTime?: Timestamp;
}

type Codec = MethodDefinition<object, object>;

const SERVICE = 'google.firestore.v1.Firestore';
const conversion = { longs: String, enums: String, bytes: Buffer };

const encoderOf = (type: Type) => (message: object) => type.encode(type.fromObject(message)).finish() as Buffer;
const decoderOf = (type: Type) => (bytes: Buffer) => type.toObject(type.decode(bytes), conversion);

/** The name of a method as implementations have it: `batchGetDocuments`. */
const memberName = (name: string) => name[0]!.toLowerCase() + name.slice(1);

function codecOf({ name, requestStream, responseStream, resolvedRequestType, resolvedResponseType }: Method): Codec {
  const [request, response] = [resolvedRequestType!, resolvedResponseType!];
  return {
    path: `/${SERVICE}/${name}`,
    originalName: memberName(name),
    requestStream: requestStream === true,
    responseStream: responseStream === true,
    requestSerialize: encoderOf(request),
    requestDeserialize: decoderOf(request),
    responseSerialize: encoderOf(response),
    responseDeserialize: decoderOf(response),
  };
}

/**
 * The methods by name. The client library ships the protocol as a JSON descriptor. The loader of the gRPC library would
 * also make descriptors of all messages, which takes a tenth of the start of the local cloud.
 */
const wireService: Record<string, Codec> = Object.fromEntries(
  Root.fromJSON(descriptor)
    .lookupService(SERVICE)
    .methodsArray.map((method) => [method.name, codecOf(method)]),
);

const method = (name: string): Codec => {
  const found = wireService[name];
  if (!found) throw new Error(`The protocol has no method ${name}.`);
  return found;
};

/** The bytes of a request of an RPC. NaN, infinities and bytes stay different, unlike in JSON. */
export const encodeRequest = (rpc: string, request: object): Buffer => method(rpc).requestSerialize(request);

/** Encodes a document as `google.firestore.v1.Document`, the stored and sent form. */
export const encodeDocument = (document: Document): Buffer => method('CreateDocument').responseSerialize(document);

/** The reverse of encodeDocument. */
export const decodeDocument = (bytes: Buffer): Document =>
  method('CreateDocument').responseDeserialize(bytes) as Document;

/** A response with encoded documents. They are copied into the message without decoding. */
export interface RawDocuments {
  rawDocuments?: Buffer[];
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  while (value > 127) {
    bytes.push((value & 127) | 128);
    value >>>= 7;
  }
  bytes.push(value);
  return Buffer.from(bytes);
}

/** Documents are field 1 in every response that contains documents, so one function serves all responses. */
function withRawDocuments(serialize: (message: object) => Buffer) {
  return (message: object & RawDocuments): Buffer => {
    if (!message.rawDocuments) return serialize(message);
    const { rawDocuments, ...rest } = message;
    const parts = rawDocuments.flatMap((raw) => [Buffer.from([0x0a]), varint(raw.length), raw]);
    return Buffer.concat([...parts, serialize(rest)]);
  };
}

const requestSizes = new WeakMap<object, number>();

/** The size in bytes of a request on the wire. */
export const requestBytes = (request: object): number => requestSizes.get(request) ?? 0;

/** The gRPC service: the library's protocol, plus encoded documents in responses and the sizes of requests. */
export const firestoreService: ServiceDefinition = Object.fromEntries(
  Object.entries(wireService).map(([name, definition]) => [
    name,
    {
      ...definition,
      responseSerialize: withRawDocuments(definition.responseSerialize),
      requestDeserialize: (bytes: Buffer): object => {
        const request = definition.requestDeserialize(bytes);
        requestSizes.set(request, bytes.length);
        return request;
      },
    },
  ]),
);
