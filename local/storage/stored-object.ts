/** The text fields of an object that a client may set. */
export const textFields = [
  'cacheControl',
  'contentDisposition',
  'contentEncoding',
  'contentLanguage',
  'contentType',
  'customTime',
] as const;

/** The fields of an object that a client may set. */
export interface ObjectFields extends Partial<Record<(typeof textFields)[number], string>> {
  metadata?: Record<string, string>;
  /** While true, the object can be neither deleted nor replaced. */
  temporaryHold?: boolean;
}

/** A live object. Its bytes are in the file `file`, which is written once and never changed. */
export interface StoredObject extends ObjectFields {
  bucket: string;
  name: string;
  /** Strictly increasing over the whole store, restarts included; close to the time in microseconds. */
  generation: number;
  metageneration: number;
  file: string;
  size: number;
  md5Hash: string;
  crc32c: string;
  timeCreated: string;
  updated: string;
}

/** A new generation as its creator describes it. The store adds the generation numbers and the times. */
export type NewObject = Omit<StoredObject, 'generation' | 'metageneration' | 'timeCreated' | 'updated'>;
