import { buildInCopy, expectMadeAgain } from './support/built-copy';

buildInCopy();

test('the build makes a file of the functions again that is missing', () => expectMadeAgain(['google.js']));
