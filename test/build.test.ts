import { buildInCopy, expectMadeAgain } from './support/built-copy';

// All but the site, which takes most of the time: build.long.test.ts builds it, too.
buildInCopy('local', 'functions', 'emulators', 'operator', 'deploy', 'client', 'cli');

test('the build makes a file of the functions again that is missing', () => expectMadeAgain(['google.js']));
