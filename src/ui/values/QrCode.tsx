import { lazy } from '../lazy';

/** The encoder loads with the first code. */
export const QrCode = lazy(
  () => import('./QrImage').then((module) => module.QrImage),
  <span className="qr" />,
);
