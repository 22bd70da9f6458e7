import type { ReactNode } from 'react';

/** @param part of the circle, from 0 to 1 */
export function CountdownDial({
  part,
  name,
  tone,
  children,
}: {
  part: number;
  name?: string;
  tone?: 'bad' | 'ok' | undefined;
  children: ReactNode;
}) {
  const length = Math.round(Math.min(1, Math.max(0, part)) * CIRCUMFERENCE);
  return (
    <div className="dial" {...(name && { role: 'timer', 'aria-label': name })}>
      <svg viewBox="0 0 100 100" aria-hidden="true" data-tone={tone}>
        <circle cx="50" cy="50" r="46" />
        <circle cx="50" cy="50" r="46" style={{ strokeDasharray: `${length} ${CIRCUMFERENCE}` }} />
      </svg>
      {children}
    </div>
  );
}
/** The length of the dial's circle. */
const CIRCUMFERENCE = 289;
