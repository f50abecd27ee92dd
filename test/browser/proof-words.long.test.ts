import { proveActions } from './proof-actions';
import { proofPages } from './proof-pages';
import { ProofStage } from './proof-stage';
import { proveWords } from './proof-translation';

const stage = new ProofStage();
proveWords(stage, proofPages);
proveActions(stage);
