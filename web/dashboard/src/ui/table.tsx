import type { ComponentChildren } from 'preact';
import './table.css';

interface Column<Row> {
  /** Also shown before each value on a phone, where a row is a card. */
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** The cell that names the row: it is the row's heading. */
  isName?: boolean;
  /** Whether the title is only for screen readers: for a column of buttons. */
  isQuiet?: boolean;
}

interface TableProps<Row> {
  /** What the table shows, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** Rows and columns; on a phone, a card for each row. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // The explicit roles survive the cards: browsers take them from a table that CSS displays as blocks.
    <table class="table" role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, isQuiet }) => (
            <th key={title} scope="col" role="columnheader">
              {isQuiet ? <span class="visually-hidden">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ title, cell, isName, isQuiet }) => {
              const content = <div dir="auto">{cell(row)}</div>;
              if (isName)
                return (
                  <th key={title} scope="row" role="rowheader" class="name">
                    {content}
                  </th>
                );
              return (
                <td key={title} role="cell" data-title={isQuiet ? '' : title}>
                  {content}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
