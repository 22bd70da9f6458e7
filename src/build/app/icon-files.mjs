/**
 * The icons that the build draws, each at these widths in pixels, as `name-width.png`.
 * @type {[drawing: string, name: string, widths: number[]][]}
 */
export const ICON_FILES = [
  ['logo.svg', 'icon', [192, 512]],
  ['icon-maskable.svg', 'icon-maskable', [192, 512]],
  ['badge.svg', 'badge', [96]],
];
