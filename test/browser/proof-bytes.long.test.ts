import { proofPages } from './proof-pages';
import { proveWeights } from './proof-weight';

proveWeights(proofPages);
