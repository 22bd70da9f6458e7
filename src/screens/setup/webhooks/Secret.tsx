import { CopyBar } from '../../../ui/CopyBar';

/** The secret of a webhook that was just added: shown here, and nowhere else again. */
export const Secret = ({ children }: { children: string }) => (
  <>
    <p className="note" data-tone="ok" role="status">
      {children && <b>Webhook added. Copy its secret now; it is not shown again.</b>}
    </p>
    {children && (
      <CopyBar what="secret" focused>
        {children}
      </CopyBar>
    )}
  </>
);
