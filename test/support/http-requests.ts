// Finds the requests in what a client sent over its connections.

export interface CapturedRequest {
  method: string;
  /** The path with its query. */
  path: string;
  /** The headers, with names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
}

/** `sent` holds all bytes of one connection: requests with a Content-Length or without a body. Throws if bytes are left over. */
export function readRequests(sent: Buffer): CapturedRequest[] {
  const requests: CapturedRequest[] = [];
  for (let at = 0; at < sent.length; ) {
    const end = sent.indexOf('\r\n\r\n', at);
    if (end < 0) throw new Error(`bytes that are no request: ${sent.subarray(at, at + 80)}`);
    const [first, ...lines] = sent.subarray(at, end).toString('latin1').split('\r\n');
    const [method, path] = first.split(' ');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    if (headers['transfer-encoding']) throw new Error(`a body of unknown length: ${first}`);
    const start = end + 4;
    at = start + Number(headers['content-length'] ?? 0);
    if (at > sent.length) throw new Error(`a request that was cut off: ${first}`);
    requests.push({ method, path, headers, body: sent.subarray(start, at) });
  }
  return requests;
}
