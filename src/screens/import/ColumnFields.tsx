import type { ColumnUse } from '../../shared/contract';
import type { HeadingColumn } from '../../state/users/importing';
import { Select } from '../../ui/forms/Select';

const USES: [ColumnUse, string][] = [
  ['username', 'Username'],
  ['email', 'Email'],
  ['role', 'Role'],
  ['topics', 'Topics'],
  ['teams', 'Teams'],
  ['ignore', 'Ignore'],
];

interface Props {
  columns: readonly HeadingColumn[];
  onChange: (columns: HeadingColumn[]) => void;
}

/** What each column of the file contains, if the first line does not say it. */
export function ColumnFields({ columns, onChange }: Props) {
  return (
    <fieldset>
      <legend>Columns</legend>
      <p>
        <small>
          Choose what each column contains, then check again. The first line isn’t imported.
        </small>
      </p>
      <div className="pair">
        {columns.map(({ name, use }, index) => (
          <Select
            // biome-ignore lint/suspicious/noArrayIndexKey: names may be equal, and columns never move
            key={index}
            label={name === '' ? `Column ${index + 1}, without a name` : `Column “${name}”`}
            name={`column-${index + 1}`}
            options={USES}
            value={use}
            onChoose={(newUse) =>
              onChange(columns.map((column, at) => (at === index ? { name, use: newUse } : column)))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
