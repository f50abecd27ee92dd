import { expectCounted } from './people';

expectCounted([30_000, 100_000]);
