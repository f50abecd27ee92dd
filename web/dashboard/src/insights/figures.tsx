import { formatDuration, formatNumber, formatPercent } from '../format';
import { DayChart } from '../ui/chart';
import { words } from '../words/en';
import './insights.css';

interface FigureProps {
  figures: {
    views: number;
    people: number;
    otherOpenings: number;
    seconds: { median: number | null };
    completion: number | null;
    byDay: readonly { day: string; views: number; people: number; seconds: number }[];
    isComplete: boolean;
  };
}

/** The figures of a range of days, and its days. */
export function Figures({ figures }: FigureProps) {
  const { views, people, otherOpenings, seconds, completion, byDay, isComplete } = figures;
  const said = words.insights;
  const shown = [
    [said.visits, formatNumber(views)],
    [said.people, formatNumber(people)],
    [said.medianTime, seconds.median === null ? said.unknown : formatDuration(seconds.median)],
    [said.completion, completion === null ? said.unknown : formatPercent(completion)],
  ];
  return (
    <section class="card figures" aria-label={said.figures}>
      <dl>
        {shown.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h2 class="visually-hidden">{said.byDay}</h2>
      <DayChart days={byDay} />
      {(otherOpenings > 0 || !isComplete) && (
        <p class="quiet small">
          {otherOpenings > 0 && said.otherOpenings(otherOpenings)} {!isComplete && said.notComplete}
        </p>
      )}
    </section>
  );
}
