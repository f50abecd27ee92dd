import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { service, type Answer } from '../../service';
import { FailureNotice } from '../../ui/failure-notice';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { readLogo, type SentLogo } from './read-logo';

type Organization = Answer<'getAccount'>['organization'];

/** The stored logo, or the one that the person has chosen and not saved. */
export function useLogo(organization: Organization) {
  // Undefined: the stored one stays. Null: it is removed.
  const [change, setChange] = useState<SentLogo | null>();
  // Loaded once. Later changes are those of this page.
  const stored = useLoaded(async (signal) => (organization.logo ? service().getLogo(signal) : undefined));
  const address = useAddress(change === undefined ? stored.data : (change ?? undefined));
  return {
    change: change && { data: change.data, contentType: change.contentType },
    address,
    failure: stored.failure,
    reload: () => void stored.reload(),
    choose: setChange,
    remove: () => setChange(organization.logo ? null : undefined),
    discard: () => setChange(undefined),
    /** After the change was saved. */
    settle() {
      if (change !== undefined) stored.set(change ?? undefined);
      setChange(undefined);
    },
  };
}

/** A `blob:` address of the image, for as long as it is shown. */
function useAddress(image: { bytes: Uint8Array; contentType: string } | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!image) return setAddress(undefined);
    const made = URL.createObjectURL(new Blob([new Uint8Array(image.bytes)], { type: image.contentType }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [image?.bytes]);
  return address;
}

/** Shows the logo, and lets the person choose another image or remove it. */
export function LogoField({ logo, name }: { logo: ReturnType<typeof useLogo>; name: string }) {
  const [problem, setProblem] = useState<string>();
  const file = useRef<HTMLInputElement>(null);
  const id = useId();
  const take = async (chosen: File | undefined) => {
    if (!chosen) return;
    const read = await readLogo(chosen);
    setProblem(typeof read === 'string' ? words.settings[read] : undefined);
    if (typeof read !== 'string') logo.choose(read);
  };
  return (
    <div class="field logo" role="group" aria-labelledby={id}>
      <span id={id}>{words.settings.logo}</span>
      <div class="actions">
        {logo.address ? (
          <img src={logo.address} alt={words.settings.logoAlt(name)} />
        ) : (
          <span class="none">{words.settings.noLogo}</span>
        )}
        <input
          ref={file}
          type="file"
          class="visually-hidden"
          tabIndex={-1}
          aria-label={words.settings.choose}
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          onChange={(event) => {
            void take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
        <button type="button" class="button" onClick={() => file.current?.click()}>
          {logo.address ? words.settings.replace : words.settings.choose}
        </button>
        {logo.address && (
          <button type="button" class="button" onClick={logo.remove}>
            {words.settings.remove}
          </button>
        )}
      </div>
      {problem ? (
        <span class="error" role="alert">
          {problem}
        </span>
      ) : (
        <span class="hint">{words.settings.logoHint}</span>
      )}
      <FailureNotice failure={logo.failure} onRetry={logo.reload} />
    </div>
  );
}
