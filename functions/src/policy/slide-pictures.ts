import { KB } from '../values/units';

/** The pictures of the slides of a version that a client may send. */
export const slideLimits = {
  slides: 200,
  /** The largest picture, in bytes. */
  pictureBytes: 100 * KB,
  /** The titles of all slides, as JSON in bytes. */
  titlesBytes: 256 * KB,
  /** The calls of one organization in one hour. */
  callsAnHour: 60,
  /** The pictures of a listing that everybody sees. */
  listed: 12,
} as const;

/** The versions that keep the pictures of their slides although no link and no listing shows them. */
export const KEPT_VERSIONS = 10;

/** Whether a version is one of the newest, which keep the pictures of their slides. */
export const keepsSlides = (version: number, current: number): boolean => version > current - KEPT_VERSIONS;
