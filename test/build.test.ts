import { buildInCopy, expectMadeAgain } from './support/built-copy';

// What `npm start` needs first. build.long.test.ts builds everything.
buildInCopy('local', 'functions');

test('the build makes a file of the functions again that is missing', () => expectMadeAgain(['google.js']));
