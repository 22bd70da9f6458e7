import type { Story } from './harness';
export const stories: Story[] = [];
