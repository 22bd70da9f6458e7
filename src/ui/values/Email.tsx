/** An email address that may break before its @. */
export function EmailAddress({ children, className }: { children: string; className?: string }) {
  const atSign = children.lastIndexOf('@');
  return (
    <bdi className={className}>
      {atSign > 0 ? (
        <>
          {children.slice(0, atSign)}
          <wbr />
          {children.slice(atSign)}
        </>
      ) : (
        children
      )}
    </bdi>
  );
}

/** An email address in a table: one line if there is room; `-` without an address. */
export const Email = ({ children }: { children: string | null }) =>
  children && typeof children === 'string' ? (
    <EmailAddress className="long">{children}</EmailAddress>
  ) : (
    <bdi>-</bdi>
  );
