/** A rule of a bucket's CORS configuration, in the format of `gcloud storage buckets update --cors-file`. */
export interface CorsRule {
  origin: string[];
  method: string[];
  responseHeader?: string[];
  maxAgeSeconds?: number;
}

/** The service account whose URL signatures the server accepts. */
export interface SigningKey {
  clientEmail: string;
  publicKeyPem: string;
}

export interface StorageOptions {
  /** The server keeps all data in the subfolder `storage`. Only one server at a time may use it. */
  dataDir: string;
  /** 0 (the default) picks a free port. */
  port?: number;
  /**
   * Whether the folder is deleted at the end. Writes are then not flushed: they survive a killed process, not a power
   * failure.
   */
  isTemporary?: boolean;
  /** The buckets that exist. */
  buckets: string[];
  /** Other names of buckets: alias → name in `buckets`. */
  aliases?: Record<string, string>;
  /** Without a key, the server refuses every signed URL. */
  signingKey?: SigningKey;
  /** The CORS configuration of every bucket. Without a rule, pages of other origins cannot read signed URLs. */
  cors?: CorsRule[];
}
