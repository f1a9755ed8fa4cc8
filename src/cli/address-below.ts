/** An address below that of a server, which may itself have a path. */
export function addressBelow(server: URL, path: string): string {
  return `${server.href.replace(/\/+$/, '')}${path}`
}
