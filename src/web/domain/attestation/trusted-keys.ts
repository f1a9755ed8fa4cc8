import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { KeyMistake } from '../../../attestation/keys/keys-in-text.ts'
import { readKeys } from '../../../attestation/keys/read-keys.ts'
import type { TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import { configQuery, configuredKeys } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { type DeviceKey, usePreferences } from '../../ui/device-preferences.ts'

/** Whose signatures count here. */
export interface TrustedKeys {
  readonly keys: readonly TrustedKey[]
  /** What the configuration has that is no key, or why it could not be read. */
  readonly mistakes: readonly KeyMistake[]
  /** The keys of the configuration are still on their way. */
  readonly isPending: boolean
  /** They have arrived; while they have not, a signature by one of them looks unknown. */
  readonly isKnown: boolean
}

const none: readonly KeyMistake[] = []

/** The keys of the configuration and of this device, in this order. */
export function useTrustedKeys(): TrustedKeys {
  const { data, error, isPending } = useQuery(configQuery(useServices().request))
  const { trustedKeys } = usePreferences()
  return useMemo(() => {
    const configured = data && configuredKeys(data)
    const keys = [...(configured?.keys ?? []), ...trustedOnDevice(trustedKeys ?? [])]
    const mistakes =
      error === null
        ? (configured?.mistakes ?? none)
        : [{ where: 'the configuration', message: `Can't read it: ${error.message}` }]
    return { keys, mistakes, isPending, isKnown: data !== undefined }
  }, [data, error, isPending, trustedKeys])
}

/** The keys that were added on this device, ready for verifying. */
export function trustedOnDevice(stored: readonly DeviceKey[]): readonly TrustedKey[] {
  return stored.flatMap(({ name, pem, jwsAlgorithm }) => {
    const [key] = readKeys(pem, { name }).keys
    if (key === undefined) return []
    return [{ ...key, name, ...(jwsAlgorithm === undefined ? {} : { jwsAlgorithm }) }]
  })
}
