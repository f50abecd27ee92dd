import { proofPages } from './proof-pages';
import { proveWords } from './proof-translation';

proveWords(proofPages);
