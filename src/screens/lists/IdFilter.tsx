import { mayChange } from '../../state/rights';
import { Select } from '../../ui/forms/Select';
import { Failure } from '../../ui/page';
import { useLoad } from './use-load';

/** Reads an id from a part of the address. Empty text means all. */
export const parseIdFilter = (text: string): string => (/^[1-9]\d{0,14}$/.test(text) ? text : '');

interface Props {
  label: string;
  name: string;
  /** The option without a filter. */
  all: string;
  read: () => Promise<readonly { id: number; title?: string; name?: string }[]>;
  failed: string;
  /** An id, or empty. */
  value: string;
  onChoose: (id: string) => void;
}

/** Filters by a topic or a team. Auditors may list neither. */
export const IdFilter = (props: Props) => (mayChange.value ? <ListedFilter {...props} /> : null);

function ListedFilter({ label, name, all, read, failed, value, onChoose }: Props) {
  const { value: entries = [], failure, reload } = useLoad('', read, failed);
  const options = entries.map(
    (entry) => [String(entry.id), entry.title ?? entry.name ?? ''] as const,
  );
  // A deleted or unknown one still filters.
  const isKnown = !value || options.some(([id]) => id === value);
  return (
    <>
      <Select
        label={label}
        name={name}
        options={[
          ['', all],
          ...(isKnown ? [] : ([[value, `${label} ${value}`]] as const)),
          ...options,
        ]}
        value={value}
        onChoose={onChoose}
      />
      {failure && <Failure retry={reload}>{failure}</Failure>}
    </>
  );
}
