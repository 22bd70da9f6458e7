/** Examples from ntfy's own documentation, in three languages. */
import { readFileSync } from 'node:fs';

export interface NtfyExample {
  section: string;
  language: 'bash' | 'http' | 'js';
  text: string;
}

/** The examples in the order of examples.md. */
export function readExamples(): NtfyExample[] {
  const examples: NtfyExample[] = [];
  for (const part of readFileSync('test/support/ntfy/examples.md', 'utf8').split('\n## ')) {
    const section = part.slice(0, part.indexOf('\n'));
    for (const [, language, text = ''] of part.matchAll(/^```(\w+)\n(.*?)\n```$/gms))
      examples.push({ section, language: language as NtfyExample['language'], text });
  }
  return examples;
}

/** Replaces hosts and credentials. */
export function replaceOwn(text: string, host: string, key: string): string {
  const base64 = (login: string): string => Buffer.from(login).toString('base64');
  return text
    .replaceAll('https://ntfy.example.com', host)
    .replaceAll('https://ntfy.sh', host)
    .replaceAll('ntfy.sh', host)
    .replaceAll('tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2', key)
    .replaceAll('fakepassword', key)
    .replaceAll(base64('testuser:fakepassword'), base64(`testuser:${key}`))
    .replaceAll(base64(':tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2'), base64(`:${key}`));
}
