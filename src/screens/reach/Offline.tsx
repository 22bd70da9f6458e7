import { useMemo } from 'react';
import { connected } from '../../platform/connection';
import { Moment } from '../../ui/values/When';

/** Says without a network that the board is not fresh, and why nothing can be tested. */
export function Offline({ board }: { board: object | undefined }) {
  const asOf = useMemo(() => Date.now(), [board]);
  return (
    <p className="chip" data-tone="warn" role="status" hidden={connected.value}>
      {!connected.value && (
        <>
          Offline.{' '}
          {board && (
            <>
              Shown as of <Moment time={asOf} />.{' '}
            </>
          )}
          Devices can be tested when you are connected again.
        </>
      )}
    </p>
  );
}
