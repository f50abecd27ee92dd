import type { ComponentChildren } from 'preact';
import { words } from '../words/en';
import './mail-view.css';

interface MailViewProps {
  from: string;
  replyTo: string | null;
  subject: string;
  /** The content, in one of its forms. */
  children: ComponentChildren;
}

/** A mail as mail programs show it: sender, address for answers and subject above the content. */
export function MailView({ from, replyTo, subject, children }: MailViewProps) {
  const labels = words.deckMails;
  const rows = [
    { label: labels.from, value: from },
    { label: labels.replyTo, value: replyTo },
    { label: labels.subjectLabel, value: subject },
  ];
  return (
    <>
      <dl>
        {rows.map(
          ({ label, value }) =>
            value !== null && (
              <div key={label}>
                <dt>{label}</dt>
                <dd dir="auto" translate={false}>
                  {value}
                </dd>
              </div>
            ),
        )}
      </dl>
      {children}
    </>
  );
}
