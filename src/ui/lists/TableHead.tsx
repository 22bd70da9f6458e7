interface Props {
  columns: readonly string[];
  /** The name of the last column, which holds buttons. */
  actions?: string | false;
}

/** A row of column names. Tables that sort or select rows have their own. */
export const TableHead = ({ columns, actions }: Props) => (
  <thead>
    <tr>
      {columns.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
      {actions && (
        <th scope="col" className="actions">
          {actions}
        </th>
      )}
    </tr>
  </thead>
);
