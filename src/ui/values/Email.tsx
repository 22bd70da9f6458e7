/**
 * An e-mail address that may break before its @, or in a table of narrow rows is cut at its end;
 * `-` where there is none, or no text.
 */
export function Email({ children }: { children: string | null }) {
  if (!children || typeof children !== 'string') return <bdi>-</bdi>;
  const at = children.lastIndexOf('@');
  return (
    <bdi className="long">
      {at > 0 ? (
        <>
          {children.slice(0, at)}
          <wbr />
          {children.slice(at)}
        </>
      ) : (
        children
      )}
    </bdi>
  );
}
