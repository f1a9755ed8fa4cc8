import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { KeyMistake } from '../../../attestation/found-keys.ts'
import type { TrustedKey } from '../../../attestation/trusted-key.ts'
import { configuredKeys } from '../../data/attestation/configured-keys.ts'
import { configQuery } from '../../data/core/proxy-config.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { trustedOnDevice } from '../../domain/attestation/trusted-on-device.ts'

/** Whose signatures count here. */
export interface TrustedKeys {
  readonly keys: readonly TrustedKey[]
  /** What the configuration has that is no key, or why it could not be read. */
  readonly mistakes: readonly KeyMistake[]
  /** The keys of the configuration are still on their way. */
  readonly isPending: boolean
}

const none: readonly KeyMistake[] = []

/** The keys of the configuration and of this device, in this order. */
export function useTrustedKeys(): TrustedKeys {
  const { data, error, isPending } = useQuery(configQuery(useRequest()))
  const { trustedKeys } = usePreferences()
  return useMemo(() => {
    const configured = data && configuredKeys(data)
    const keys = [...(configured?.keys ?? []), ...trustedOnDevice(trustedKeys ?? [])]
    const mistakes =
      error === null
        ? (configured?.mistakes ?? none)
        : [{ where: 'the configuration', message: `It could not be read: ${error.message}` }]
    return { keys, mistakes, isPending }
  }, [data, error, isPending, trustedKeys])
}
