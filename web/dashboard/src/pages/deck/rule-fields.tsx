import { Field } from '../../ui/field';
import { TextArea } from '../../ui/text-area';
import { words } from '../../words/en';
import { PasscodeChoice } from './passcode-choice';
import type { TypedRules } from './typed-rules';

interface RuleFieldsProps {
  value: TypedRules;
  /** The rules that the link has. */
  before: TypedRules;
  onValue: (changed: TypedRules) => void;
  /** What the service says about fields of its input. */
  problems: Record<string, string>;
}

/** The rules of a link, but for its expiry. */
export function RuleFields({ value, before, onValue, problems }: RuleFieldsProps) {
  const put = (changed: Partial<TypedRules>) => onValue({ ...value, ...changed });
  const said = words.linkRules;
  return (
    <>
      <PasscodeChoice
        value={value.passcode}
        isSet={before.passcode === undefined}
        onValue={(passcode) => put({ passcode })}
        error={problems['passcode']}
      />
      <Field
        label={said.maxOpenings}
        hint={said.maxOpeningsHint}
        error={problems['maxOpenings']}
        value={value.maxOpenings}
        onValue={(maxOpenings) => put({ maxOpenings: maxOpenings.trim() })}
        inputMode="numeric"
        pattern="[1-9][0-9]{0,6}"
        title={said.maxOpeningsTitle}
        autocomplete="off"
      />
      <TextArea
        label={said.readers}
        hint={said.readersHint}
        error={problems['allowedEmails']}
        value={value.readers}
        onValue={(readers) => put({ readers })}
        rows={3}
        dir="ltr"
      />
      <label class="check">
        <input
          type="checkbox"
          checked={value.isNotified}
          onChange={(event) => put({ isNotified: event.currentTarget.checked })}
        />
        {said.notify}
      </label>
      <div class="rule">
        <label class="check">
          <input
            type="checkbox"
            checked={value.short}
            onChange={(event) => put({ short: event.currentTarget.checked })}
          />
          {said.short}
        </label>
        <p class="quiet small">{before.short && !value.short ? said.shortGone : said.shortHint}</p>
      </div>
    </>
  );
}
