import { CopyBar } from '../../ui/CopyBar';

/** A link for the installed app of an iPhone, which no link opens. */
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
