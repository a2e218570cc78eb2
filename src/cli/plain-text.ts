// Finds out whether others on the network could read what is sent to an address.

/** True if the connection is not encrypted and leaves this machine. */
export function isPlainText(url: string): boolean {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}
