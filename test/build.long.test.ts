import { buildInCopy, expectMadeAgain } from './support/built-copy';

buildInCopy();

test('the build makes every file of the functions again that is missing', () => expectMadeAgain());
