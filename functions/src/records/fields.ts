import { Timestamp } from 'firebase-admin/firestore';
import { z } from 'zod';

/** A Date, which Firestore stores as a Timestamp. Dates have millisecond precision. */
export const date = z.union([z.date(), z.instanceof(Timestamp).transform((timestamp) => timestamp.toDate())]);
