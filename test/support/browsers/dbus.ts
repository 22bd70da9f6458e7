/**
 * D-Bus messages as bytes, as far as `desktop.ts` needs them:
 * https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-messages
 */

export const DBUS_CALL = 1;
export const DBUS_RETURN = 2;
export const DBUS_ERROR = 3;
export const DBUS_SIGNAL = 4;

/** The header fields in the order of their codes, with their types. */
const HEADER_FIELDS = [
  ['path', 'o'],
  ['interface', 's'],
  ['member', 's'],
  ['errorName', 's'],
  ['replySerial', 'u'],
  ['destination', 's'],
  ['sender', 's'],
  ['signature', 'g'],
] as const;
export type DbusFields = Partial<Record<(typeof HEADER_FIELDS)[number][0], string | number>>;

export interface DbusMessage extends DbusFields {
  type: number;
  serial: number;
  length: number;
  body: unknown[];
}

const LITTLE_ENDIAN = 'l'.charCodeAt(0);
const PROTOCOL_VERSION = 1;
const roundUp = (at: number, to: number): number => Math.ceil(at / to) * to;

/** Writes the types s, o, g, u, b and as. */
export function writeDbusMessage(
  type: number,
  serial: number,
  fields: DbusFields,
  signature = '',
  body: unknown[] = [],
): Buffer {
  const content = new DbusWriter().values(signature, body).take();
  const header = new DbusWriter();
  for (const [index, [name, kind]] of HEADER_FIELDS.entries()) {
    const value = name === 'signature' ? signature || undefined : fields[name];
    if (value === undefined) continue;
    // Counts from the header's sixteen bytes.
    header.pad(8).bytes(index + 1);
    header.values('g', [kind]).values(kind, [value]);
  }
  const listed = header.take();
  const head = Buffer.from([LITTLE_ENDIAN, type, 1, PROTOCOL_VERSION, ...Buffer.alloc(12)]);
  head.writeUInt32LE(content.length, 4);
  head.writeUInt32LE(serial, 8);
  head.writeUInt32LE(listed.length, 12);
  const gap = Buffer.alloc(roundUp(listed.length, 8) - listed.length);
  return Buffer.concat([head, listed, gap, content]);
}

class DbusWriter {
  readonly #bytes: number[] = [];

  bytes(...values: number[]): this {
    this.#bytes.push(...values);
    return this;
  }

  pad(to: number): this {
    while (this.#bytes.length % to) this.#bytes.push(0);
    return this;
  }

  values(signature: string, values: unknown[]): this {
    const types = signature.match(/a?./g) ?? [];
    for (const [index, type] of types.entries()) this.#value(type, values[index]);
    return this;
  }

  take(): Buffer {
    return Buffer.from(this.#bytes);
  }

  #value(type: string, value: unknown): void {
    if (type.startsWith('a')) this.#list(type.slice(1), value as unknown[]);
    else if (type === 'u' || type === 'b') this.pad(4).bytes(...fourBytes(Number(value)));
    else {
      const text = Buffer.from(String(value));
      if (type === 'g') this.bytes(text.length);
      else this.pad(4).bytes(...fourBytes(text.length));
      this.bytes(...text, 0);
    }
  }

  #list(type: string, values: unknown[]): void {
    const lengthAt = this.pad(4).#bytes.length;
    this.bytes(0, 0, 0, 0);
    for (const value of values) this.#value(type, value);
    const length = this.#bytes.length - lengthAt - 4;
    this.#bytes.splice(lengthAt, 4, ...fourBytes(length));
  }
}

function fourBytes(value: number): Buffer {
  const four = Buffer.alloc(4);
  four.writeUInt32LE(value);
  return four;
}

/** Reads the first message of `data`. Returns undefined until all its bytes have arrived. */
export function readDbusMessage(data: Buffer): DbusMessage | undefined {
  if (data.length < 16) return undefined;
  if (data[0] !== LITTLE_ENDIAN) throw new Error('Big-endian D-Bus messages are not supported.');
  const [bodyLength, headerLength] = [data.readUInt32LE(4), data.readUInt32LE(12)];
  const bodyAt = roundUp(16 + headerLength, 8);
  const length = bodyAt + bodyLength;
  if (data.length < length) return undefined;
  const message: DbusMessage = { type: data[1]!, serial: data.readUInt32LE(8), length, body: [] };
  const [listed] = new DbusReader(data, 12).values('a(yv)') as [[number, string | number][]];
  for (const [code, value] of listed)
    Object.assign(message, { [HEADER_FIELDS[code - 1]?.[0] ?? 'unknown']: value });
  if (message.signature)
    message.body = new DbusReader(data.subarray(bodyAt, length), 0).values(
      String(message.signature),
    );
  return message;
}

const NUMBER_READERS: Record<string, [number, (data: Buffer, at: number) => number | bigint]> = {
  y: [1, (data, at) => data.readUInt8(at)],
  n: [2, (data, at) => data.readInt16LE(at)],
  q: [2, (data, at) => data.readUInt16LE(at)],
  i: [4, (data, at) => data.readInt32LE(at)],
  u: [4, (data, at) => data.readUInt32LE(at)],
  b: [4, (data, at) => data.readUInt32LE(at)],
  h: [4, (data, at) => data.readUInt32LE(at)],
  x: [8, (data, at) => data.readBigInt64LE(at)],
  t: [8, (data, at) => data.readBigUInt64LE(at)],
  d: [8, (data, at) => data.readDoubleLE(at)],
};

/** Dictionaries become objects, variants their values. */
class DbusReader {
  readonly #data: Buffer;
  #at: number;

  constructor(data: Buffer, at: number) {
    this.#data = data;
    this.#at = at;
  }

  values(signature: string): unknown[] {
    return splitSignature(signature).map((type) => this.#value(type));
  }

  #value(type: string): unknown {
    const number = NUMBER_READERS[type];
    if (number) {
      const at = roundUp(this.#at, number[0]);
      this.#at = at + number[0];
      return number[1](this.#data, at);
    }
    if (type === 's' || type === 'o') return this.#text(this.#value('u') as number);
    if (type === 'g') return this.#text(this.#value('y') as number);
    if (type === 'v') return this.values(this.#value('g') as string)[0];
    if (type.startsWith('a')) return this.#list(type.slice(1));
    this.#at = roundUp(this.#at, 8); // a struct, or an entry of a dictionary
    return this.values(type.slice(1, -1));
  }

  #text(length: number): string {
    const text = this.#data.toString('utf8', this.#at, this.#at + length);
    this.#at += length + 1;
    return text;
  }

  #list(type: string): unknown {
    const length = this.#value('u') as number;
    if ('({xtd'.includes(type[0]!)) this.#at = roundUp(this.#at, 8);
    const end = this.#at + length;
    const values: unknown[] = [];
    while (this.#at < end) values.push(this.#value(type));
    return type.startsWith('{') ? Object.fromEntries(values as [string, unknown][]) : values;
  }
}

/** Splits a signature into its types: `sa{sv}u` into `s`, `a{sv}` and `u`. */
function splitSignature(signature: string): string[] {
  const types: string[] = [];
  for (let from = 0; from < signature.length; ) {
    const to = findTypeEnd(signature, from);
    types.push(signature.slice(from, to));
    from = to;
  }
  return types;
}

function findTypeEnd(signature: string, from: number): number {
  if (signature[from] === 'a') return findTypeEnd(signature, from + 1);
  let depth = 0;
  for (let at = from; ; at += 1) {
    if ('({'.includes(signature[at]!)) depth += 1;
    if (')}'.includes(signature[at]!)) depth -= 1;
    if (depth === 0) return at + 1;
  }
}
