import { useDraft } from '../../draft';
import { service, type Answer } from '../../service';
import { CommandStrip, quoted } from '../../ui/command-strip';
import { confirm } from '../../ui/confirm';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { toast } from '../../ui/toast';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { TextArea } from '../../ui/text-area';
import { MailState } from './mail-state';
import { useChange } from './use-change';
import type { SectionProps } from './use-deck';

type Person = Answer<'listCollaborators'>['collaborators'][number];
type Change = ReturnType<typeof useChange>;

/** Who may edit the deck. */
export default function People({ deck: { id } }: SectionProps) {
  const input = { presentationId: id };
  const { data, failure, reload } = useLoaded((signal) => service().post('listCollaborators', input, { signal }), [id]);
  const change = useChange(
    { reload },
    { command: `deck collaborators ${id}`, call: { name: 'listCollaborators', method: 'POST', input } },
  );
  const said = words.deckPeople;
  return (
    <section class="people section-place" aria-busy={!data && !failure}>
      <p class="quiet">{said.about}</p>
      <Invitation id={id} change={change} />
      <h2>{said.list}</h2>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {!data && !failure && <Skeleton label={said.loading} lines={3} />}
      {data?.collaborators.length === 0 && <EmptyState text={said.none} />}
      {data && data.collaborators.length > 0 && <List id={id} people={data.collaborators} change={change} />}
      {(data || failure !== undefined) && <CommandStrip {...change.done} />}
    </section>
  );
}

const NOBODY = { email: '', message: '' };

function Invitation({ id, change }: { id: string; change: Change }) {
  const draft = useDraft(`invitation ${id}`, () => NOBODY);
  const { email, message } = draft.value;
  const said = words.deckPeople;
  const invite = () => {
    const input = { presentationId: id, email: email.trim(), ...(message.trim() && { message: message.trim() }) };
    return change.run(
      async () => {
        const { collaborator } = await service().post('inviteCollaborator', input);
        draft.forget(NOBODY);
        toast(collaborator.status === 'active' ? said.joined(collaborator.email) : said.invited(collaborator.email));
      },
      {
        command: `deck collaborators invite ${quoted(input.email)} --deck ${id}`,
        call: { name: 'inviteCollaborator', method: 'POST', input },
      },
    );
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void invite();
      }}
    >
      <h2>{said.invite}</h2>
      <Field
        label={said.email}
        type="email"
        value={email}
        onValue={(typed) => draft.set({ email: typed })}
        maxLength={254}
        required
      />
      <TextArea
        label={said.message}
        value={message}
        onValue={(typed) => draft.set({ message: typed })}
        rows={2}
        maxLength={500}
        hint={said.messageHint}
        dir="auto"
      />
      <FailureNotice failure={change.failure} />
      <div class="actions">
        <button type="submit" class="button primary" aria-disabled={change.isBusy}>
          {said.invite}
        </button>
      </div>
    </form>
  );
}

function List({ id, people, change }: { id: string; people: Person[]; change: Change }) {
  const { list, person, state, since, remove } = words.deckPeople;
  return (
    <Table
      caption={list}
      rows={people}
      keyOf={({ collaboratorId }) => collaboratorId}
      columns={[
        { title: person, isName: true, cell: (row) => <Name person={row} /> },
        { title: state, cell: (row) => <State person={row} /> },
        { title: since, cell: (row) => <Time iso={row.revokedAt ?? row.activatedAt ?? row.invitedAt} /> },
        { title: remove, isQuiet: true, cell: (row) => <Removal id={id} person={row} change={change} /> },
      ]}
    />
  );
}

function Name({ person: { displayName, email } }: { person: Person }) {
  if (!displayName) return <>{email}</>;
  return (
    <>
      <bdi>{displayName}</bdi> <span class="quiet small email">{email}</span>
    </>
  );
}

function State({ person: { status, delivery } }: { person: Person }) {
  if (status === 'pending' && delivery && delivery.state !== 'delivered') return <MailState delivery={delivery} />;
  return <span class={status === 'active' ? 'label good' : 'label'}>{words.deckPeople[status]}</span>;
}

function Removal({ id, person, change }: { id: string; person: Person; change: Change }) {
  const { collaboratorId, email, displayName, status } = person;
  if (status === 'revoked') return null;
  const said = words.deckPeople;
  const name = displayName ?? email;
  const action = status === 'pending' ? said.withdraw : said.remove;
  const remove = async () => {
    if (!(await confirm({ title: said.removeTitle(name), text: said.removeText, action }))) return;
    const input = { presentationId: id, collaboratorId };
    await change.run(
      async () => {
        await service().post('uninviteCollaborator', input);
        toast(said.removed(name));
      },
      {
        command: `deck collaborators remove ${quoted(email)} --deck ${id}`,
        call: { name: 'uninviteCollaborator', method: 'POST', input },
      },
    );
  };
  return (
    <div class="actions">
      <button
        type="button"
        class="button small"
        aria-label={status === 'pending' ? said.withdrawLabel(name) : said.removeLabel(name)}
        onClick={() => void remove()}
      >
        {action}
      </button>
    </div>
  );
}
