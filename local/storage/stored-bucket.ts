/** A bucket, apart from its name. The fields that a client gave at its creation are kept as they came. */
export interface StoredBucket {
  /** ISO 8601. */
  timeCreated: string;
  location?: string;
  storageClass?: string;
  labels?: Record<string, string>;
}
