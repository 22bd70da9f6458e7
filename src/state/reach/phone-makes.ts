/** The make of a phone; the server counts phones by the same patterns. */
export {
  browserName,
  guessMake,
  phoneMakeOf,
  DESKTOP,
  PHONE,
  type ReportedDevice,
  type Make,
} from '../../shared/phone-makes';
