/** An email address that may break before its @; `-` if there is none. */
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
