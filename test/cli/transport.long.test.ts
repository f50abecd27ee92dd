import { expectWholeForm, withFormFolder } from './forms';

/** A form whose file has many parts of the separator, which the other parser reads slowly. */

describe('a form with files', () => {
  withFormFolder();

  test.each([[[700_000, 0, 3]]])(
    'of %j bytes declares its length, and another parser reads back the same fields and files',
    expectWholeForm,
  );
});
