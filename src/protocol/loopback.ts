/**
 * Whether an address can be reached from this machine only: `localhost`, 127.0.0.0/8 or `::1`, with
 * or without brackets. The host is as a URL has it: without a port, in lower case.
 */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || loopbackV4.test(host)
}

/** Four numbers of at most 255; a name such as 127.0.0.1.example is anybody's. */
const loopbackV4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/
