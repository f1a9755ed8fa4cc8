import { readKeys } from '../../../attestation/keys/read-keys.ts'
import type { TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import type { DeviceKey } from '../../ui/device-preferences.ts'

/** The keys that were added on this device, ready for verifying. */
export function trustedOnDevice(stored: readonly DeviceKey[]): readonly TrustedKey[] {
  return stored.flatMap(({ name, pem, jwsAlgorithm }) => {
    const [key] = readKeys(pem, { name }).keys
    if (key === undefined) return []
    return [{ ...key, name, ...(jwsAlgorithm === undefined ? {} : { jwsAlgorithm }) }]
  })
}
