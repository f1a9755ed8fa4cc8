import { BlockList, isIP } from 'node:net'
import type { Context } from 'hono'
import type { ProxyEnv } from './sessions.ts'

/** The reverse proxies whose word is taken: for the address of a client, for instance. */
export interface TrustedProxies {
  /** Whether an address is one of theirs. */
  readonly has: (address: string) => boolean
  /**
   * The network address that a request comes from: that of its connection, or, where this is a
   * trusted proxy's, the last one in `X-Forwarded-For` that is not. Null without a connection.
   */
  readonly clientAddress: (c: Context<ProxyEnv>) => string | null
}

/** Trusts addresses and ranges, such as `10.0.0.4`, `10.0.0.0/8` or `fd00::/8` (`isAddressRange`). */
export function createTrustedProxies(ranges: readonly string[]): TrustedProxies {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  const has = (address: string): boolean => {
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
  return {
    has,
    clientAddress: (c) => {
      const { remoteAddress } = c.env.incoming?.socket ?? {}
      if (remoteAddress === undefined) return null
      // Each proxy adds the address that it was called from: only those of trusted ones are passed by.
      const forwarded = (c.req.header('x-forwarded-for') ?? '').split(',').reverse()
      let address = plainAddress(remoteAddress)
      for (const text of forwarded) {
        const before = plainAddress(text.trim())
        if (!has(address) || isIP(before) === 0) break
        address = before
      }
      return address
    },
  }
}

/** Whether a text is an IP address, or a range of them in CIDR notation (RFC 4632). */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

/** An IPv4 address is the same whether or not the connection was accepted on an IPv6 socket. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
