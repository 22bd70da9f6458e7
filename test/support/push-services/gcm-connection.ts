import type { TLSSocket } from 'node:tls';
import { bytesField, numberField, readFields, readVarint, writeVarint } from './protobuf';

/** Message tags of google_apis/gcm/protocol/mcs.proto. */
const TAG = { ping: 0, pong: 1, login: 2, loginResponse: 3, data: 8 };
const PROTOCOL_VERSION = 41;

/**
 * A connected Chromium. A frame is a tag, a length and a message; the version leads each side's
 * first.
 */
export class GcmConnection {
  readonly #socket: TLSSocket;
  readonly #onLogin: (device: string) => void;
  #received = Buffer.alloc(0);
  #versionRead = false;
  #versionSent = false;

  constructor(socket: TLSSocket, onLogin: (device: string) => void) {
    this.#socket = socket;
    this.#onLogin = onLogin;
    socket.on('error', () => undefined); // Chromium hangs up when it is closed
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      if (!this.#versionRead) this.#received = this.#received.subarray(1);
      this.#versionRead = true;
      for (let frame = this.#takeFrame(); frame; frame = this.#takeFrame())
        this.#answer(frame.tag, frame.message);
    });
  }

  sendData(message: Buffer): void {
    this.#send(TAG.data, message);
  }

  #send(tag: number, message: Buffer): void {
    const version = this.#versionSent ? [] : [PROTOCOL_VERSION];
    this.#versionSent = true;
    this.#socket.write(
      Buffer.concat([Buffer.from([...version, tag]), writeVarint(message.length), message]),
    );
  }

  close(): void {
    this.#socket.destroy();
  }

  #takeFrame(): { tag: number; message: Buffer } | undefined {
    const length = readVarint(this.#received, 1);
    if (!length) return undefined;
    const end = length.end + Number(length.value);
    if (this.#received.length < end) return undefined;
    const frame = { tag: this.#received[0]!, message: this.#received.subarray(length.end, end) };
    this.#received = this.#received.subarray(end);
    return frame;
  }

  #answer(tag: number, message: Buffer): void {
    if (tag === TAG.ping) this.#send(TAG.pong, numberField(6, 1));
    if (tag !== TAG.login) return;
    const login = readFields(message);
    const text = (field: number) => String(login.get(field)?.[0]);
    this.#send(
      TAG.loginResponse,
      Buffer.concat([
        bytesField(1, text(1)),
        numberField(5, 1),
        numberField(6, 1),
        numberField(8, Date.now()),
      ]),
    );
    this.#onLogin(text(3));
  }
}
