import { useState } from 'preact/hooks';
import { service } from '../../service';
import { confirm } from '../../ui/confirm';
import { CopyButton } from '../../ui/copy-button';
import { FailureNotice } from '../../ui/failure-notice';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { Time } from '../../ui/time';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { words } from '../../words/en';
import { LinkAddress } from './link-address';
import { PinDialog, RenameDialog } from './link-dialogs';
import type { QrDialog } from './qr-dialog';
import type { useChange } from './use-change';
import type { Deck, Link } from './use-deck';

interface LinkRowProps {
  deck: Deck;
  link: Link;
  change: ReturnType<typeof useChange>;
}

/** A link with what became of it, and its actions. */
export function LinkRow({ deck, link, change }: LinkRowProps) {
  const [dialog, setDialog] = useState<'pin' | 'rename'>();
  const [qr, setQr] = useState<{ Shown: typeof QrDialog }>();
  const { name, versionMode, shareUrl, revoked, revokedAt, accessCount, lastAccessedAt } = link;
  const said = words.deckLinks;
  const openQr = useAction(async () => setQr({ Shown: (await import('./qr-dialog')).QrDialog }));
  const items = [
    ...(revoked || !shareUrl ? [] : [{ text: said.qr, onChoose: () => void openQr.run() }]),
    ...(revoked ? [] : [{ text: said.pin, onChoose: () => setDialog('pin') }]),
    { text: said.rename, onChoose: () => setDialog('rename') },
    ...(revoked ? [] : [{ text: said.revoke, onChoose: () => void revoke(deck, link, change), isDanger: true }]),
  ];
  const close = () => setDialog(undefined);
  return (
    <li class={revoked ? 'row revoked' : 'row'}>
      <div class="about">
        <h3 dir="auto">{name}</h3>
        {!revoked && shareUrl && <LinkAddress url={shareUrl} />}
        <p class="quiet small">
          {versionMode.type === 'pinned' ? words.deck.version(versionMode.version) : said.follows} ·{' '}
          {said.views(accessCount)} ·{' '}
          {lastAccessedAt ? (
            <>
              {said.lastOpened} <Time iso={lastAccessedAt} />
            </>
          ) : (
            said.neverOpened
          )}
          {revokedAt && (
            <>
              {' '}
              · {said.revoked} <Time iso={revokedAt} />
            </>
          )}
        </p>
      </div>
      {!revoked && shareUrl && (
        <CopyButton text={shareUrl} label={said.copy(name)} said={words.shell.linkCopied} isSmall />
      )}
      <Menu label={said.actions(name)} items={items} class="button icon">
        <Icon name="more" />
      </Menu>
      {dialog === 'pin' && <PinDialog deck={deck} link={link} change={change} onClose={close} />}
      {dialog === 'rename' && <RenameDialog deck={deck} link={link} change={change} onClose={close} />}
      {qr && <qr.Shown link={link} onClose={() => setQr(undefined)} />}
      <FailureNotice failure={openQr.failure} />
    </li>
  );
}

async function revoke({ id }: Deck, { tokenId, name }: Link, change: LinkRowProps['change']): Promise<void> {
  const { revokeTitle, revokeText, revokeAction, revokedNow, wasRevoked } = words.deckLinks;
  if (!(await confirm({ title: revokeTitle(name), text: revokeText, action: revokeAction }))) return;
  const input = { presentationId: id, tokenId };
  await change.run(
    async () => {
      const { alreadyRevoked } = await service().post('unsharePresentation', input);
      toast(alreadyRevoked.length > 0 ? wasRevoked(name) : revokedNow(name));
    },
    {
      command: `deck links revoke ${tokenId} --deck ${id}`,
      call: { name: 'unsharePresentation', method: 'POST', input },
    },
  );
}
