import { somePages } from './proof-pages';
import { provePages, ProofStage } from './proof-stage';
import { proveWords } from './proof-translation';
import { proveWeights } from './proof-weight';

const stage = new ProofStage();
provePages(stage, somePages.read);
proveWeights(stage, somePages.weighed);
proveWords(stage, somePages.translated);
