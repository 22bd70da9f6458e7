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

/** In a table: one line where there is room; `-` if there is none. */
export const Email = ({ children }: { children: string | null }) =>
  children && typeof children === 'string' ? (
    <EmailAddress className="long">{children}</EmailAddress>
  ) : (
    <bdi>-</bdi>
  );
