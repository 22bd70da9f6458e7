/** Apart from other modules, so that only screens with a field for answers load the list. */
export { findHelpAnswers } from '../../shared/help-answers';
