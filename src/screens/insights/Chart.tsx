import { useId, type ReactNode } from 'react';
import type { InsightDay } from '../../state/insights';

interface Column {
  name: string;
  value: (row: InsightDay) => string | number;
}

interface Props {
  title: string;
  subtitle: string;
  /** The chart in one sentence, for screen readers. */
  sentence: string;
  /** The labels of the vertical axis, the top one first. */
  scale: readonly [string, string, string];
  /** The labels of the horizontal axis, the first day first. */
  days: readonly [string, string, string];
  /** Rows with data. */
  rows: readonly InsightDay[];
  columns: readonly Column[];
  dayText: (day: string) => string;
  keys?: ReactNode;
  /** Drawn in 100 by 100, stretched. */
  children: ReactNode;
}

/** A chart with its numbers as a table. */
export function Chart(props: Props) {
  const { title, subtitle, sentence, scale, days, rows, columns, dayText, keys, children } = props;
  const id = useId();
  return (
    <figure className="panel chart" aria-labelledby={id}>
      <figcaption>
        <b id={id}>{title}</b>
        <small>{subtitle}</small>
      </figcaption>
      {rows.length === 0 ? (
        <p className="muted">No data for these days.</p>
      ) : (
        <>
          <Axis axis="y" labels={scale} />
          <svg
            className="plot"
            viewBox="0 0 100 100"
            preserveAspectRatio="none"
            role="img"
            aria-label={sentence}
          >
            <path className="grid" d="M0 0H100M0 50H100M0 100H100" />
            {children}
          </svg>
          <Axis axis="x" labels={days} />
          {keys && <ul className="key">{keys}</ul>}
          <details>
            <summary>
              Show as a table<span className="sr">: {title}</span>
            </summary>
            <div className="scroll">
              <table className="dense">
                <thead>
                  <tr>
                    <th scope="col">Day</th>
                    {columns.map(({ name }) => (
                      <th key={name} scope="col">
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.day}>
                      <th scope="row">{dayText(row.day)}</th>
                      {columns.map(({ name, value }) => (
                        <td key={name} data-label={name}>
                          {value(row).toLocaleString()}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </details>
        </>
      )}
    </figure>
  );
}

const Axis = ({
  axis,
  labels: [first, second, third],
}: {
  axis: 'x' | 'y';
  labels: readonly [string, string, string];
}) => (
  <div className={`axis ${axis}`} aria-hidden="true">
    <span>{first}</span>
    <span>{second}</span>
    <span>{third}</span>
  </div>
);
