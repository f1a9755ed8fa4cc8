import { type ReadKeys, readKeys } from '../../../attestation/keys/read-keys.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'

/** The keys that the configuration of the proxy trusts, for everybody who uses it. */
export function configuredKeys({ trustedKeys }: Pick<ProxyConfig, 'trustedKeys'>): ReadKeys {
  return Object.keys(trustedKeys).length === 0
    ? { keys: [], mistakes: [] }
    : readKeys(trustedKeys, { origin: 'configuration' })
}
