import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'

/** The open connections of a server, and how many requests each is at. */
export interface Connections {
  /** Notes a new one. False when its address has more than it may. */
  readonly opened: (socket: Socket) => boolean
  /** Notes a request on it; the returned function notes its end. */
  readonly began: (socket: Duplex) => () => void
  readonly isBusy: (socket: Duplex) => boolean
  /** From now on, connections are ended as soon as nothing is answered on them. */
  readonly endIdle: () => void
}

/** Keeps the book of connections; each leaves it when it closes. */
export function createConnections(maxPerAddress: number): Connections {
  const requests = new Map<Duplex, number>()
  const addresses = new Map<string, number>()
  const state = { ending: false }
  const isBusy = (socket: Duplex): boolean => (requests.get(socket) ?? 0) > 0
  return {
    opened: (socket) => {
      const address = socket.remoteAddress ?? ''
      const count = (addresses.get(address) ?? 0) + 1
      requests.set(socket, 0)
      addresses.set(address, count)
      socket.once('close', () => {
        requests.delete(socket)
        const rest = (addresses.get(address) ?? 1) - 1
        if (rest === 0) addresses.delete(address)
        else addresses.set(address, rest)
      })
      return count <= maxPerAddress
    },
    began: (socket) => {
      requests.set(socket, (requests.get(socket) ?? 0) + 1)
      return () => {
        if (!requests.has(socket)) return
        requests.set(socket, (requests.get(socket) ?? 1) - 1)
        if (state.ending && !isBusy(socket)) socket.destroy()
      }
    },
    isBusy,
    endIdle: () => {
      state.ending = true
      for (const socket of requests.keys()) if (!isBusy(socket)) socket.destroy()
    },
  }
}
