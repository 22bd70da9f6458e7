import { Icon, type IconName } from '../../ui/Icon';

interface Props {
  /** Labels of the buttons for a name. */
  labels?: { remove: (name: string) => string; first: (name: string) => string };
  names: readonly { key: string; name: string; icon?: IconName; people?: number | undefined }[];
  onRemove: (index: number) => void;
  /** Where the order counts. */
  onFirst?: (index: number) => void;
}

const DEFAULT_LABELS = {
  remove: (name: string) => `Remove ${name}`,
  first: (name: string) => `Move ${name} to the top`,
};

export const PickedItems = ({ labels = DEFAULT_LABELS, names, onRemove, onFirst }: Props) =>
  names.length > 0 && (
    <ul className="picked">
      {names.map(({ key, name, icon, people }, index) => (
        <li key={key}>
          {icon && <Icon name={icon} />}
          <bdi>{name}</bdi> {people !== undefined && <small>{people.toLocaleString()}</small>}{' '}
          {onFirst && index > 0 && (
            <button
              type="button"
              className="quiet"
              aria-label={labels.first(name)}
              onClick={() => onFirst(index)}
            >
              ↑
            </button>
          )}
          <button
            type="button"
            className="quiet"
            aria-label={labels.remove(name)}
            onClick={() => onRemove(index)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
