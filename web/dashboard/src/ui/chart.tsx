import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatCompact, formatDay, formatDayAndYear, formatDuration, formatNumber } from '../format';
import { words } from '../words/en';
import './chart.css';

/** So many rows are shown at once. */
const ROWS = 20;

interface BarColumn<Row> {
  title: string;
  /** What the cell says. */
  text: (row: Row) => ComponentChildren;
  /** The length of the bar before the text. A column without it has numbers or texts only. */
  value?: (row: Row) => number;
  /** An outlined bar, to tell it from the bars of another column without a colour. */
  isSecond?: boolean;
}

interface BarTableProps<Row> {
  /** What the table shows, for screen readers. */
  caption: string;
  /** The title of the first column, which names the rows. */
  name: string;
  nameOf: (row: Row) => ComponentChildren;
  columns: readonly BarColumn<Row>[];
  /** A column of pictures before the names. */
  pictures?: { title: string; of: (row: Row) => ComponentChildren } | undefined;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/**
 * A chart of bars that is a table: a bar stands beside the number that it draws. Of many rows, the first ones are
 * shown and the others are scrolled to, or shown with a button. Paper has all.
 */
export function BarTable<Row>({ caption, name, nameOf, columns, pictures, rows, keyOf }: BarTableProps<Row>) {
  const [isWhole, setWhole] = useState(false);
  const isScrolled = rows.length > ROWS && !isWhole;
  const scroll =
    isScrolled && ({ tabIndex: 0, role: 'region', 'aria-label': words.insights.scrolled(caption) } as const);
  const largest = columns.map(({ value }) => (value ? Math.max(1, ...rows.map(value)) : 1));
  return (
    <div class="bar-chart">
      <div class={isScrolled ? 'scrolled' : undefined} {...scroll}>
        {/* The explicit roles survive a table that CSS displays as blocks on a phone. */}
        <table role="table">
          <caption class="visually-hidden">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {pictures && (
                <th scope="col" role="columnheader">
                  <span class="visually-hidden">{pictures.title}</span>
                </th>
              )}
              {[name, ...columns.map(({ title }) => title)].map((title) => (
                <th key={title} scope="col" role="columnheader">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr key={keyOf(row)} role="row">
                {pictures && (
                  <td role="cell" class="pictured">
                    {pictures.of(row)}
                  </td>
                )}
                <th scope="row" role="rowheader">
                  <div dir="auto">{nameOf(row)}</div>
                </th>
                {columns.map(({ title, text, value, isSecond }, at) => (
                  <td key={title} role="cell" class={value ? 'measured' : undefined}>
                    <div data-title={title}>
                      {value && <Bar part={value(row) / largest[at]!} isSecond={isSecond} />}
                      <span>{text(row)}</span>
                    </div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isScrolled && (
        <button type="button" class="button small" onClick={() => setWhole(true)}>
          {words.insights.showAll(rows.length)}
        </button>
      )}
    </div>
  );
}

/** A bar that fills this part of its place. What is more than nothing can be seen. */
function Bar({ part, isSecond = false }: { part: number; isSecond?: boolean | undefined }) {
  const width = part <= 0 ? 0 : Math.max(1, 100 * part);
  return (
    <svg class={isSecond ? 'bar second' : 'bar'} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="10" class="track" />
      <rect width={width} height="10" class="length" />
    </svg>
  );
}

interface Day {
  day: string;
  views: number;
  people: number;
  seconds: number;
}

/** A column for each day: the visits, and the people as a narrow column in it. The numbers are in a table below. */
export function DayChart({ days }: { days: readonly Day[] }) {
  const [isOpen, setOpen] = useState(false);
  const { visits, people, asTable, zone, onDay } = words.insights;
  const top = roundUp(Math.max(1, ...days.map(({ views }) => views)));
  const isLong = days.length > 180;
  const height = (value: number) => (100 * value) / top;
  return (
    <figure class="day-chart">
      <figcaption class="quiet small">
        <span class="views">{visits}</span> <span class="people">{people}</span>
      </figcaption>
      <div class="plot" aria-hidden="true">
        <div class="scale">
          {[top, top / 2, 0].map((mark) => (
            <span key={mark}>{Number.isInteger(mark) ? formatCompact(mark) : ''}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${days.length} 100`} preserveAspectRatio="none">
          {[0.5, 50, 99.5].map((y) => (
            <line key={y} x1="0" x2={days.length} y1={y} y2={y} />
          ))}
          {days.map((each, at) => (
            <g key={each.day}>
              <title>{onDay(each.day, each.views, each.people)}</title>
              <rect x={at} width="1" height="100" class="reach" />
              <rect x={at + 0.1} width="0.8" y={100 - height(each.views)} height={height(each.views)} class="views" />
              <rect
                x={at + 0.3}
                width="0.4"
                y={100 - height(each.people)}
                height={height(each.people)}
                class="people"
              />
            </g>
          ))}
        </svg>
        <div class="days">
          {daysOfAxis(days).map((day) => (
            <span key={day}>{isLong ? formatDayAndYear(day) : formatDay(day)}</span>
          ))}
        </div>
      </div>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{asTable}</summary>
        {isOpen && (
          <>
            <DayTable days={days} />
            <p class="quiet small">{zone}</p>
          </>
        )}
      </details>
    </figure>
  );
}

function DayTable({ days }: { days: readonly Day[] }) {
  const { day, visits, people, time, byDay } = words.insights;
  return (
    <div class="scrolled" tabIndex={0} role="region" aria-label={words.insights.scrolled(byDay)}>
      <table>
        <caption class="visually-hidden">{byDay}</caption>
        <thead>
          <tr>
            {[day, visits, people, time].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((each) => (
            <tr key={each.day}>
              <th scope="row">{formatDayAndYear(each.day)}</th>
              <td>{formatNumber(each.views)}</td>
              <td>{formatNumber(each.people)}</td>
              <td>{formatDuration(each.seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The first day, one in the middle of a longer time, and the last one. */
const daysOfAxis = (days: readonly Day[]) =>
  days
    .map(({ day }) => day)
    .filter((_, at) => at === 0 || at === days.length - 1 || (days.length > 6 && at === Math.floor(days.length / 2)));

/** The next 1, 2, 4, 6, 8 or 10 times a power of ten, so that half of it is a round number, too. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 4, 6, 8, 10].find((step) => step * power >= value)!;
}
