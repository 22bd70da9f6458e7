interface Props {
  /** Put before the name in `Remove …`. */
  noun?: string;
  names: readonly { key: string; name: string }[];
  onRemove: (index: number) => void;
}

export const Picked = ({ noun = '', names, onRemove }: Props) =>
  names.length > 0 && (
    <ul className="picked">
      {names.map(({ key, name }, index) => (
        <li key={key}>
          <bdi>{name}</bdi>{' '}
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
