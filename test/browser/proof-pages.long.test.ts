import { everyLook } from './fits';
import { proofPages } from './proof-pages';
import { provePages, ProofStage } from './proof-stage';
import { proveWeights } from './proof-weight';

const stage = new ProofStage();
provePages(stage, proofPages, { looks: everyLook });
proveWeights(stage, proofPages);
