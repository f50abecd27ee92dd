import { words } from '../../words/en';

interface FormEndProps {
  /** Whether there is something to save. */
  isChanged: boolean;
  isBusy: boolean;
  onDiscard: () => void;
}

/** The buttons at the end of a form that changes what is stored. */
export function FormEnd({ isChanged, isBusy, onDiscard }: FormEndProps) {
  return (
    <div class="actions">
      <button type="submit" class="button primary" aria-disabled={!isChanged || isBusy}>
        {isBusy ? words.settings.saving : words.settings.save}
      </button>
      {isChanged && (
        <button type="button" class="button" onClick={onDiscard}>
          {words.settings.discard}
        </button>
      )}
    </div>
  );
}
