import { CopyBar } from '../../ui/CopyBar';

/** A link to paste into the installed app: on an iPhone, pressing it opens the browser instead. */
export const LinkToPaste = ({
  children,
  focused = false,
}: {
  children: string;
  focused?: boolean;
}) => (
  <>
    <p>
      Copy this link. In the installed app, press <b>Use a sign-in link</b> and paste it.
    </p>
    <CopyBar what="link" focused={focused}>
      {children}
    </CopyBar>
  </>
);
