import type { Server } from 'node:http'
import { problem, ProblemError } from '../protocol/problem.ts'

/**
 * Makes a server listen; port 0 takes a free one. Throws a ProblemError that tells what is wrong with
 * the address and which setting to change.
 */
export function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error & { code?: string }): void => {
      reject(unusableAddress(error, host, port))
    }
    server.once('error', failed)
    // Browsers that all come back at once wait in this queue.
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', failed)
      resolve()
    })
  })
}

/** Where a bound server is found, as a person would open it: a wildcard host is this machine. */
export function urlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function unusableAddress(
  error: Error & { code?: string },
  host: string,
  port: number,
): ProblemError {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is in use: stop what uses it or set SIGHTLINE_PORT.`,
    EACCES: `Port ${port} may not be used by this account: set SIGHTLINE_PORT to 1024 or more.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: set SIGHTLINE_HOST to one that is.`,
    ENOTFOUND: `The host name ${host} was not found: set SIGHTLINE_HOST to an address of this machine.`,
  }
  const code = error.code ?? error.name
  return new ProblemError(
    problem(
      500,
      'cannot-listen',
      'Cannot listen',
      sentences[code] ?? `Listening on ${host}, port ${port}, failed (${code}).`,
    ),
  )
}
