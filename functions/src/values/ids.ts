import { v7, validate, version } from 'uuid';

/** A new UUIDv7, which sorts by its time of creation. */
export function newId(): string {
  return v7();
}

export function isId(text: string): boolean {
  return validate(text) && version(text) === 7;
}
