// Whether what goes to an address may be read by others on the way.

/** Not encrypted, and not to this very machine. */
export function isPlainText(url: string): boolean {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}
