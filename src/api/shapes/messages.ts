/**
 * The answers that only the new message asks for, checked as `shapes.ts` says. Not in
 * `admin.ts`, since every list would carry them.
 */
import type { Template } from '../../shared/contract';
import { like } from '../shapes';

/** What the server says of a message that it has taken. */
export const sentAnswer = like({ message: '', messageId: '', notified: true });

const aTemplate = {
  id: 0,
  name: '',
  title: null,
  message: '',
  priority: 'normal',
  answers: [''],
  link: null,
} as Template;
export const template = like(aTemplate);
export const templates = like({ templates: [aTemplate] });
