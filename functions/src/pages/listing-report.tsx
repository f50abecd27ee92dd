import { config } from '../config';
import { reportReasons, type ReportReason } from '../policy/listing-reports';

const reasonNames: Record<ReportReason, string> = {
  copyright: 'It infringes a copyright',
  illegal: 'It is illegal',
  impersonation: 'It pretends to be from someone else',
  malware: 'It contains malware',
  offensive: 'It is offensive',
  phishing: 'It tries to steal passwords or money',
  privacy: 'It shows private information',
  spam: 'It is spam',
  other: 'Something else',
};

/** The form by which a visitor reports a listing. */
export const ReportForm = ({ slug }: { slug: string }) => (
  <details class="report">
    <summary>Report this listing</summary>
    <form method="post" action={`${config.baseUrl()}/reportPage`}>
      <input type="hidden" name="slug" value={slug} />
      <label>
        What is wrong with it?
        <select name="reason" required>
          <option value="">Choose one</option>
          {reportReasons.map((reason) => (
            <option value={reason}>{reasonNames[reason]}</option>
          ))}
        </select>
      </label>
      <label class="whole">
        Details (optional)
        <textarea name="details" rows={4} maxLength={2000} dir="auto" />
      </label>
      <button>Send report</button>
    </form>
  </details>
);
