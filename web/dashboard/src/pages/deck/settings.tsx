import { navigate } from '../../navigation';
import { service } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { confirm } from '../../ui/confirm';
import { FailureNotice } from '../../ui/failure-notice';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { words } from '../../words/en';
import { Expiry } from './expiry';
import { Pictures } from './pictures';
import { Rename } from './rename';
import { Tracking } from './tracking';
import { useChange } from './use-change';
import type { SectionProps } from './use-deck';

/** Title, expiry, tracking, pictures and deletion for the owner; leaving for a collaborator. */
export default function Settings(props: SectionProps) {
  return props.deck.role === 'owner' ? <ForOwner {...props} /> : <ForCollaborator {...props} />;
}

function ForOwner(props: SectionProps) {
  const { id } = props.deck;
  const change = useChange(props, {
    command: `deck info ${id}`,
    call: { name: 'getSharedPresentationInfo', method: 'GET', input: { presentationId: id } },
  });
  return (
    <div class="settings">
      <FailureNotice failure={change.failure} />
      <Rename deck={props.deck} change={change} />
      <Expiry deck={props.deck} change={change} />
      <Tracking deck={props.deck} change={change} />
      <Pictures deck={props.deck} change={change} />
      <Removal {...props} />
      <CommandStrip {...change.done} />
    </div>
  );
}

function Removal({ deck: { id, title } }: SectionProps) {
  const { remove, removeAbout, removeTitle, removeAction, removed } = words.deck;
  const removal = useAction(async () => {
    if (!(await confirm({ title: removeTitle, text: removeAbout, action: removeAction, typed: title }))) return;
    await service().post('deletePresentation', { presentationId: id });
    navigate('/dashboard/decks');
    toast(removed(title));
  });
  return (
    <section class="card">
      <h2>{remove}</h2>
      <p class="quiet">{removeAbout}</p>
      <FailureNotice failure={removal.failure} />
      <div class="actions">
        <button type="button" class="button danger" aria-disabled={removal.isBusy} onClick={() => void removal.run()}>
          {removeAction}
        </button>
      </div>
    </section>
  );
}

function ForCollaborator({ deck: { id, title } }: SectionProps) {
  const { leave, leaveAbout, leaveTitle, leaveAction, left } = words.deck;
  const leaving = useAction(async () => {
    if (!(await confirm({ title: leaveTitle, text: leaveAbout, action: leaveAction }))) return;
    await service().post('leavePresentation', { presentationId: id });
    navigate('/dashboard/decks');
    toast(left(title));
  });
  return (
    <div class="settings">
      <section class="card">
        <h2>{leave}</h2>
        <p class="quiet">{leaveAbout}</p>
        <FailureNotice failure={leaving.failure} />
        <div class="actions">
          <button type="button" class="button danger" aria-disabled={leaving.isBusy} onClick={() => void leaving.run()}>
            {leaveAction}
          </button>
        </div>
      </section>
      <CommandStrip
        command={`deck leave ${id}`}
        call={{ name: 'leavePresentation', method: 'POST', input: { presentationId: id } }}
      />
    </div>
  );
}
