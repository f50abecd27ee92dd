/** A file of the deck. */
export interface TypedFile {
  /** The path in the deck. */
  path: string;
  sizeBytes: number;
  contentType: string;
}

/** A hashed file of the deck: its row in the manifest. */
export interface PushedFile extends TypedFile {
  sha256: string;
}

/** A number of files and their bytes. */
export interface Amount {
  files: number;
  bytes: number;
}

/** How many files there are, and their bytes. */
export function sumFiles(files: Iterable<{ sizeBytes: number }>): Amount {
  const sum = { files: 0, bytes: 0 };
  for (const { sizeBytes } of files) {
    sum.files++;
    sum.bytes += sizeBytes;
  }
  return sum;
}
