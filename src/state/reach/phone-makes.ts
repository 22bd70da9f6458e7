/** The make of a phone; the server counts phones by the same patterns. */
export {
  browserName,
  guessMake,
  phoneMakeText,
  DESKTOP_COMPUTER,
  UNKNOWN_PHONE,
  type ReportedDevice,
  type Make,
} from '../../shared/phone-makes';
