// [coordinator] Answers bytes that never became a request because they came too slowly, were too long or were not HTTP.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from './problem.ts';

const TOO_SLOW = { status: 408, code: 'F3_REQUEST_TIMEOUT', message: 'request: must come faster' } as const;
const TOO_LONG = {
  status: 431,
  code: 'F3_REQUEST_SIZE',
  message: 'request: path and headers must be shorter',
} as const;
const NOT_HTTP = { status: 400, code: 'F3_REQUEST', message: 'request: must be HTTP/1.1, got something else' } as const;

export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, code, message } =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : error.code === 'HPE_HEADER_OVERFLOW' ? TOO_LONG : NOT_HTTP;
  const body = JSON.stringify({ code, message } satisfies Problem);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  // The server does not wait for a client that does not read its answer.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
