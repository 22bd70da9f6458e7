import { encode } from 'uqr';

/** The white margin that readers need, in modules (ISO/IEC 18004). */
const QUIET_ZONE_MODULES = 4;

/** Black on white in every theme. Encoded here, so that no service learns the link. */
export function QrImage({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE_MODULES });
  return (
    <svg
      className="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={createPath(data)} />
    </svg>
  );
}

/** Draws each row's runs of black modules as rectangles. */
const createPath = (rows: readonly (readonly boolean[])[]): string =>
  rows
    .map((row, y) => {
      let path = '';
      for (let x = 0; x < row.length; x++) {
        if (!row[x] || row[x - 1]) continue;
        let end = x + 1;
        while (row[end]) end++;
        path += `M${x} ${y}h${end - x}v1H${x}z`;
      }
      return path;
    })
    .join('');
