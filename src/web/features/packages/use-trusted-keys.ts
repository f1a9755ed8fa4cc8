import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { TrustedKey } from '../../../attestation/trusted-key.ts'
import { configuredKeys } from '../../data/attestation/configured-keys.ts'
import { configQuery } from '../../data/core/proxy-config.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { trustedOnDevice } from '../../domain/attestation/trusted-on-device.ts'

/**
 * The keys whose signatures count: of the configuration and of this device. Undefined while the
 * configuration is on its way, or cannot be read: what would be said then might be wrong.
 */
export function useTrustedKeys(): readonly TrustedKey[] | undefined {
  const { data } = useQuery(configQuery(useRequest()))
  const { trustedKeys } = usePreferences()
  return useMemo(
    () => data && [...configuredKeys(data).keys, ...trustedOnDevice(trustedKeys ?? [])],
    [data, trustedKeys],
  )
}
