/** Trouble that a story asks a stand-in of a push service for. */
export interface Trouble {
  /** From now on pushes are answered with this status, and go nowhere. */
  refuse(status: number): void;
  /** From now on pushes are taken and kept back, as for a phone that sleeps. */
  hold(): void;
  /** All is as it should be again, and what was kept back goes on its way. */
  end(): void;
}

/** What a stand-in asks of the trouble that it is in. */
interface Troubled {
  trouble: Trouble;
  /** The status to refuse a push with, if it is to be refused. */
  refusal(): number | undefined;
  /** Does that now, or when there is no more trouble. */
  deliver(send: () => void): void;
}

export function createTrouble(): Troubled {
  let status: number | undefined;
  let held: (() => void)[] | undefined;
  return {
    trouble: {
      refuse: (code) => void (status = code),
      hold: () => void (held ??= []),
      end() {
        const waiting = held ?? [];
        status = held = undefined;
        for (const send of waiting) send();
      },
    },
    refusal: () => status,
    deliver: (send) => (held ? void held.push(send) : send()),
  };
}
