import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { PageError } from '../../ui/page-error';
import { Skeleton } from '../../ui/skeleton';
import { words } from '../../words/en';
import type { SectionProps } from './use-deck';

type Section = ComponentType<SectionProps>;

/** The pages of a deck by the last part of their address. Each is loaded when it is first opened. */
const sections: Record<string, () => Promise<{ default: Section }>> = {
  '': () => import('./overview'),
  versions: () => import('./versions'),
  links: () => import('./links'),
  mails: () => import('./mails'),
  insights: () => import('./insights'),
  people: () => import('./people'),
  marketplace: () => import('./listing'),
  source: () => import('./source'),
  settings: () => import('./settings'),
};

export const isSection = (tab: string) => Object.hasOwn(sections, tab);

/** Shows a section as soon as its code is there. */
export function ShownSection({ tab, ...props }: SectionProps & { tab: string }) {
  const [shown, setShown] = useState<{ tab: string; Found?: Section }>();
  useEffect(() => {
    let isGone = false;
    const show = (Found?: Section) => isGone || setShown(Found ? { tab, Found } : { tab });
    sections[tab]!().then(
      ({ default: Found }) => show(Found),
      () => show(),
    );
    return () => {
      isGone = true;
    };
  }, [tab]);
  if (shown?.tab !== tab)
    return (
      <div class="section-place" aria-busy="true">
        <Skeleton label={words.shell.loading} lines={4} />
      </div>
    );
  return shown.Found ? <shown.Found {...props} /> : <PageError />;
}
