import { v7, validate, version } from 'uuid';

/** A new UUIDv7: time-ordered, as every id of the service. */
export function newId(): string {
  return v7();
}

export function isId(text: string): boolean {
  return validate(text) && version(text) === 7;
}
