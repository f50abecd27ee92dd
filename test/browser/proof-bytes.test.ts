import { somePages } from './proof-pages';
import { proveWeights } from './proof-weight';

proveWeights(somePages);
