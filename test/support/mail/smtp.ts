/** A mail server that accepts and keeps every mail. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface Mail {
  to: string[];
  subject: string;
  text: string;
}

export interface Smtp {
  url: string;
  /** The received mails, oldest first. */
  mails: Mail[];
  close(): Promise<void>;
}

export async function startSmtp(): Promise<Smtp> {
  const mails: Mail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => {});
    socket.write('220 ready\r\n');
    let [rest, to] = ['', [] as string[]];
    /** Undefined between mails. */
    let lines: string[] | undefined;
    const receiveLine = (line: string): string | undefined => {
      if (lines && line !== '.') {
        lines.push(line.replace(/^\./, ''));
        return undefined;
      }
      if (lines) {
        mails.push(parseMail(to, lines));
        [to, lines] = [[], undefined];
        return '250 taken';
      }
      const address = /^RCPT TO:<(.*)>/i.exec(line)?.[1];
      if (address) to.push(address);
      if (/^DATA/i.test(line)) {
        lines = [];
        return '354 go on';
      }
      return /^QUIT/i.test(line) ? '221 bye' : '250 ok';
    };
    socket.setEncoding('utf8').on('data', (chunk) => {
      const all = (rest + String(chunk)).split('\r\n');
      rest = all.pop() ?? '';
      for (const line of all) {
        const reply = receiveLine(line);
        if (reply) socket.write(`${reply}\r\n`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Reads a mail with one part of text: Fieldbell sends no others. */
function parseMail(to: string[], lines: string[]): Mail {
  const end = lines.indexOf('');
  const head = lines
    .slice(0, end)
    .join('\n')
    .replace(/\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '';
  const body = lines.slice(end + 1);
  const decode = TRANSFER_DECODERS[header('Content-Transfer-Encoding')] ?? ((text: string) => text);
  return {
    to,
    subject: header('Subject').replace(/=\?utf-8\?(q|b)\?(.*?)\?=/gi, (_, how, text) =>
      how.toLowerCase() === 'b' ? fromBase64(text) : fromQuoted(text.replaceAll('_', ' ')),
    ),
    text: decode(body.join('\n')),
  };
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

function fromQuoted(text: string): string {
  const bytes = text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const TRANSFER_DECODERS: Record<string, (text: string) => string> = {
  base64: fromBase64,
  'quoted-printable': fromQuoted,
};
