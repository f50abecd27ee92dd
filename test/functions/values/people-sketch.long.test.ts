import { expectCounted } from './people';

/** Sketches of very many people. */

expectCounted([30_000, 100_000]);
