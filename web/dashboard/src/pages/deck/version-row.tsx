import { service, type Answer } from '../../service';
import { confirm } from '../../ui/confirm';
import { quoted } from '../../ui/command-strip';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { Time } from '../../ui/time';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import { openVersion } from './preview';
import type { useChange } from './use-change';
import type { SectionProps } from './use-deck';

type Version = Answer<'listPresentationVersions'>['versions'][number];

interface RowProps extends SectionProps {
  row: Version;
  current: number;
  change: ReturnType<typeof useChange>;
  onCompare: (versions: { from: number; to: number }) => void;
}

export function VersionRow(props: RowProps) {
  const { row, current, deck, onCompare } = props;
  const { version, message, restoredFrom, createdByName, createdAt, fileCount, totalBytes } = row;
  const said = words.deckVersions;
  const isCurrent = version === current;
  const items = [
    { text: said.look, onChoose: () => void look(props) },
    ...(version > 1 ? [{ text: said.compare, onChoose: () => onCompare({ from: version - 1, to: version }) }] : []),
    ...(isCurrent ? [] : [{ text: said.compareCurrent, onChoose: () => onCompare({ from: version, to: current }) }]),
    ...(isCurrent ? [] : [{ text: said.restore, onChoose: () => void restore(props) }]),
    ...(deck.role === 'owner' ? [{ text: said.pin, onChoose: () => void pinLink(props) }] : []),
    { text: said.download, onChoose: () => void download(props) },
  ];
  const text = message ?? (restoredFrom ? said.restoredFrom(restoredFrom) : version === 1 ? said.firstVersion : '');
  return (
    <li class="row">
      <span class="number" aria-label={words.deck.version(version)}>
        {version}
      </span>
      <div class="about">
        <p class={message ? 'message' : 'message quiet'} dir="auto">
          {text || said.noMessage}
        </p>
        <p class="quiet small">
          {isCurrent && <span class="label good">{said.current}</span>} <Time iso={createdAt} />{' '}
          {createdByName && said.by(createdByName)} · {said.size(fileCount, totalBytes)}
        </p>
      </div>
      <Menu label={said.actions(version)} items={items} class="button icon">
        <Icon name="more" />
      </Menu>
    </li>
  );
}

async function look({ row: { version }, deck: { id }, change }: RowProps): Promise<void> {
  await change.run(() => openVersion(id, version), {
    command: `deck open --version ${version} --deck ${id}`,
    call: { name: 'previewPresentationVersion', method: 'POST', input: { presentationId: id, version } },
  });
}

/** Asks first. The toast can restore the version that was current before. */
async function restore({ row, current, deck, change, made }: RowProps): Promise<void> {
  const { restoreTitle, restoreText, restore: action } = words.deckVersions;
  const question = {
    title: restoreTitle(row.version),
    text: restoreText(row.version, current + 1),
    action,
    isSafe: true,
  };
  if (!(await confirm(question))) return;
  const run = (version: number, base: number, canUndo: boolean): Promise<void> => {
    const input = { presentationId: deck.id, version, expectedBaseVersion: base };
    return change.run(
      async (once) => {
        const { version: next } = await service().post('restorePresentationVersion', input, once);
        made(next);
        const undo = canUndo && { undo: () => void run(base, next, false) };
        toast(words.deckVersions.restored(version, next), undo || {});
      },
      {
        command: `deck restore ${version} --deck ${deck.id}`,
        call: { name: 'restorePresentationVersion', method: 'POST', input },
      },
    );
  };
  await run(row.version, current, true);
}

/** Makes a link that stays on the version, and copies it where the browser allows that. */
async function pinLink({ row: { version }, deck, change }: RowProps): Promise<void> {
  const { linkName, pinned, pinnedOnly } = words.deckVersions;
  const tokenName = linkName(version);
  const input = { presentationId: deck.id, tokenName, versionMode: { type: 'pinned' as const, version } };
  await change.run(
    async (once) => {
      const { shareUrl } = await service().post('addPresentationToken', input, once);
      const copied = shareUrl === undefined ? Promise.reject(new Error()) : navigator.clipboard.writeText(shareUrl);
      await copied.then(
        () => toast(pinned(version)),
        () => toast(pinnedOnly(version)),
      );
    },
    {
      command: `deck links add ${quoted(tokenName)} --pin ${version} --deck ${deck.id}`,
      call: { name: 'addPresentationToken', method: 'POST', input },
    },
  );
}

async function download({ row: { version }, deck: { id }, change }: RowProps): Promise<void> {
  await change.run(
    async () => {
      toast(words.deckVersions.downloading(version));
      const { downloadVersion } = await import('./download-version');
      toast(words.deckVersions.downloaded(await downloadVersion(id, version)));
    },
    {
      command: `deck pull ${id} ./version-${version} --version ${version}`,
      call: { name: 'getPresentationVersion', method: 'GET', input: { presentationId: id, version: String(version) } },
    },
  );
}
