import { Timestamp } from 'firebase-admin/firestore';
import { z } from 'zod';

/** Firestore keeps a Date as a Timestamp; records hold Dates (millisecond precision). */
export const date = z.union([z.date(), z.instanceof(Timestamp).transform((timestamp) => timestamp.toDate())]);
