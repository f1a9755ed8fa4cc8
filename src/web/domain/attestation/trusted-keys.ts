import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { KeyMistake } from '../../../attestation/keys/keys-in-text.ts'
import { type ReadKeys, readKeys } from '../../../attestation/keys/read-keys.ts'
import type { TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import type { ProxyConfig, SigstoreTrust } from '../../../protocol/proxy-config.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { type DeviceKey, usePreferences } from '../../ui/device-preferences.ts'

export interface TrustedKeys {
  readonly keys: readonly TrustedKey[]
  /** Whose keyless signatures count, if anyone's do. */
  readonly sigstore: SigstoreTrust | undefined
  /** What the configuration has that is no key. */
  readonly mistakes: readonly KeyMistake[]
  /** The keys of the configuration are on their way for the first time. */
  readonly isPending: boolean
  /** They have arrived; while they have not, a signature by one of them looks unknown. */
  readonly isKnown: boolean
  /** Loads them now; where they couldn't be loaded that is repeated by itself. */
  readonly retry: () => void
}

const none: readonly KeyMistake[] = []

/** How often keys that couldn't be loaded are requested again, ms. */
const againMs = 5000

/** Whether signing in loads them: until then nothing else would. */
function isSignedOut(error: Error | null): boolean {
  return error instanceof ProblemError && error.status === 401
}

/** The keys of the configuration and of this device, in this order. */
export function useTrustedKeys(): TrustedKeys {
  const { data, isFetched, refetch } = useQuery({
    ...configQuery(useServices().request),
    refetchInterval: ({ state }) =>
      state.data !== undefined || state.errorUpdateCount === 0 || isSignedOut(state.error)
        ? false
        : againMs,
  })
  const { trustedKeys: stored } = usePreferences()
  return useMemo(() => {
    const configured = data && configuredKeys(data)
    const keys = trustedKeys(configured?.keys ?? [], stored)
    return {
      keys,
      sigstore: data?.sigstore,
      mistakes: configured?.mistakes ?? none,
      // Not what the query calls pending: that is also each further try.
      isPending: !isFetched,
      isKnown: data !== undefined,
      retry: () => void refetch(),
    }
  }, [data, isFetched, refetch, stored])
}

/** The keys that the configuration of the proxy trusts, for everybody who uses it. */
export function configuredKeys({ trustedKeys }: Pick<ProxyConfig, 'trustedKeys'>): ReadKeys {
  return Object.keys(trustedKeys).length === 0
    ? { keys: [], mistakes: [] }
    : readKeys(trustedKeys, { origin: 'configuration' })
}

/** The keys of the configuration and those added on this device, each with the key ids it is known by. */
export function trustedKeys(
  configured: readonly TrustedKey[],
  stored: readonly DeviceKey[] = [],
): readonly TrustedKey[] {
  const ofDevice = stored.flatMap(({ name, pem, jwsAlgorithm, keyIds }) => {
    const [key] = readKeys(pem, { name }).keys
    if (key === undefined) return []
    return [{ ...key, name, ...(jwsAlgorithm && { jwsAlgorithm }), ...(keyIds && { keyIds }) }]
  })
  return [...configured, ...ofDevice]
}
