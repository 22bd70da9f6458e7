/**
 * The part of Protocol Buffers' wire format that Google's push protocol needs:
 * https://protobuf.dev/programming-guides/encoding/
 */

/** The fields by number: numbers as bigint, texts and messages as bytes. */
export type ProtobufFields = Map<number, (bigint | Buffer)[]>;

export function writeVarint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

export const numberField = (field: number, value: number | bigint): Buffer =>
  Buffer.concat([writeVarint(field << 3), writeVarint(value)]);

export function fixed64Field(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([writeVarint((field << 3) | 1), bytes]);
}

export function bytesField(field: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([writeVarint((field << 3) | 2), writeVarint(bytes.length), bytes]);
}

/** The number at `offset` and the offset after it; undefined if the number is cut off. */
export function readVarint(
  bytes: Buffer,
  offset: number,
): { value: bigint; end: number } | undefined {
  let value = 0n;
  for (let index = offset, shift = 0n; index < bytes.length; index++, shift += 7n) {
    const byte = bytes[index]!;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return { value, end: index + 1 };
  }
  return undefined;
}

/** @throws on any fault */
export function readFields(message: Buffer): ProtobufFields {
  const fields: ProtobufFields = new Map();
  let offset = 0;
  const varint = () => {
    const read = readVarint(message, offset);
    if (!read) throw new Error('The message is cut off');
    offset = read.end;
    return read.value;
  };
  while (offset < message.length) {
    const key = Number(varint());
    const value = readValue(key & 7);
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value]);
  }
  return fields;

  function readValue(wireType: number): bigint | Buffer {
    if (wireType === 0) return varint();
    const length = wireType === 1 ? 8 : wireType === 5 ? 4 : Number(varint());
    const value = message.subarray(offset, (offset += length));
    return wireType === 1 ? value.readBigUInt64LE() : value;
  }
}
