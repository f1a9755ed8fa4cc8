import { type ReadKeys, readKeys } from '../../../attestation/keys/read-keys.ts'
import { pemOf, type TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import type { DeviceKey } from '../../ui/device-preferences.ts'

/**
 * Reads keys to be trusted; where one key has no name of its own it is given `name`. The
 * mistakes say why something is no key, and refuse private ones without repeating them.
 */
export function readNewKeys(text: string, name: string): ReadKeys {
  const given = name.trim()
  const { keys, mistakes } = readKeys(text, given === '' ? {} : { name: given })
  const [only] = keys
  const isNamed = keys.length === 1 && only !== undefined && given !== ''
  return { keys: isNamed ? [{ ...only, name: given }] : keys, mistakes }
}

/** The stored keys with more of them; the same key is there once, a name that is taken gets a number. */
export function withKeys(
  stored: readonly DeviceKey[],
  added: readonly TrustedKey[],
): readonly DeviceKey[] {
  const all = [...stored]
  for (const key of added) {
    const pem = storedPem(key)
    if (all.some((other) => other.pem === pem)) continue
    const { jwsAlgorithm } = key
    const name = freeName(key.name, all)
    all.push({ name, pem, ...(jwsAlgorithm === undefined ? {} : { jwsAlgorithm }) })
  }
  return all
}

/** A certificate is kept whole: it says whose key it is. */
function storedPem(key: TrustedKey): string {
  if (key.certificate === undefined) return pemOf(key)
  return certificatePem(key.certificate)
}

/** The base64 DER of a certificate as PEM; PEM stays as it is. */
export function certificatePem(certificate: string): string {
  if (certificate.includes('-----BEGIN')) return certificate
  const lines = certificate.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function freeName(name: string, taken: readonly DeviceKey[]): string {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name} (${count})`
    if (!taken.some((other) => other.name === candidate)) return candidate
  }
}
