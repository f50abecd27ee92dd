const MAX_BYTES = 2 * 1024 * 1024;
const types = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'];

export interface SentLogo {
  bytes: Uint8Array;
  contentType: string;
  /** The bytes as base64. */
  data: string;
}

/** Reads the image that a person has chosen, or names its problem. The service checks the bytes. */
export async function readLogo(file: File): Promise<SentLogo | 'tooLarge' | 'wrongType'> {
  if (!types.includes(file.type)) return 'wrongType';
  if (file.size > MAX_BYTES) return 'tooLarge';
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { bytes, contentType: file.type, data: base64Of(bytes) };
}

/** An engine limits the number of arguments of a call. */
const AT_ONCE = 0x8000;

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += AT_ONCE)
    text += String.fromCharCode(...bytes.subarray(start, start + AT_ONCE));
  return btoa(text);
}
