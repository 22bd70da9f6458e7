import { Icon, type IconName } from '../../ui/Icon';

interface Props {
  /** Put before the name in `Remove …`. */
  noun?: string;
  names: readonly { key: string; name: string; icon?: IconName; people?: number | undefined }[];
  onRemove: (index: number) => void;
  /** Where the order counts. */
  onFirst?: (index: number) => void;
}

export const PickedItems = ({ noun = '', names, onRemove, onFirst }: Props) =>
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
              aria-label={`Put ${noun}${name} first`}
              onClick={() => onFirst(index)}
            >
              ↑
            </button>
          )}
          <button
            type="button"
            className="quiet"
            aria-label={`Remove ${noun}${name}`}
            onClick={() => onRemove(index)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
