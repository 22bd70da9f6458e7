/** The make of a phone; the server counts phones by the same patterns. */
export { browserName, guessMake, makeOf, type Known, type Make } from '../../shared/makes';
