import { useState } from 'preact/hooks';
import { service } from '../../service';
import { confirm } from '../../ui/confirm';
import { CopyButton } from '../../ui/copy-button';
import { FailureNotice } from '../../ui/failure-notice';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { words } from '../../words/en';
import { LinkAddress } from './link-address';
import { LinkDialog } from './link-dialog';
import { LinkFacts } from './link-facts';
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
  const [readers, setReaders] = useState<readonly string[]>();
  const [qr, setQr] = useState<{ Shown: typeof QrDialog }>();
  const { name, shareUrl, shortUrl, state, revoked } = link;
  const isOpen = state === 'open';
  const url = isOpen ? (shortUrl ?? shareUrl) : null;
  const said = words.deckLinks;
  const openQr = useAction(async () => setQr({ Shown: (await import('./qr-dialog')).QrDialog }));
  const edit = useAction(async () => setReaders(await readersOf(deck, link)));
  const items = [
    ...(url ? [{ text: said.qr, onChoose: () => void openQr.run() }] : []),
    { text: said.edit, onChoose: () => void edit.run() },
    ...(revoked ? [] : [{ text: said.revoke, onChoose: () => void revoke(deck, link, change), isDanger: true }]),
  ];
  return (
    <li class={isOpen ? 'row' : `row ${state}`}>
      <div class="about">
        <h3 dir="auto">{name}</h3>
        {url && <LinkAddress url={url} />}
        <LinkFacts link={link} />
        {state === 'used-up' && (
          <button type="button" class="button small" onClick={() => void edit.run()}>
            {words.linkRules.raise}
          </button>
        )}
        <FailureNotice failure={openQr.failure ?? edit.failure} />
      </div>
      {url && <CopyButton text={url} label={said.copy(name)} said={words.shell.linkCopied} isSmall />}
      <Menu label={said.actions(name)} items={items} class="button icon">
        <Icon name="more" />
      </Menu>
      {readers && (
        <LinkDialog deck={deck} link={link} readers={readers} change={change} onClose={() => setReaders(undefined)} />
      )}
      {qr && <qr.Shown link={link} onClose={() => setQr(undefined)} />}
    </li>
  );
}

/** The addresses and domains that may open the link. Its row has their number alone. */
async function readersOf({ id }: Deck, { tokenId, allowedEmailCount, revoked }: Link): Promise<readonly string[]> {
  if (!allowedEmailCount || revoked) return [];
  return (await service().get('getShareToken', { presentationId: id, tokenId })).allowedEmails ?? [];
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
