interface Props {
  /** Put before the name in `Remove …`. */
  noun?: string;
  names: readonly { key: string; name: string }[];
  onRemove: (index: number) => void;
  /** Where the order counts. */
  onFirst?: (index: number) => void;
}

export const Picked = ({ noun = '', names, onRemove, onFirst }: Props) =>
  names.length > 0 && (
    <ul className="picked">
      {names.map(({ key, name }, index) => (
        <li key={key}>
          <bdi>{name}</bdi>{' '}
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
