import { expect, test } from 'vitest'
import {
  addAttestations,
  attestationsOf,
  findAttestation,
  hasAttestations,
  keptSecret,
  type StoredAttestation,
} from './attestations.ts'
import { onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'

const attestation: StoredAttestation = {
  attestationId: 'one',
  packagePath: '/packages/oci/checkout/2.4.0',
  digest: 'sha256:ab',
  repositoryUrl: 'registry.example.com/shop',
  instance: 'af:evidence',
  predicateType: 'https://slsa.dev/provenance/v1',
  sourcedFromUri: null,
  createdAt: 1_780_000_000_000,
  envelope: '{"payload":""}',
}

onEachDatabase((open) => {
  const database = openForEachTest(open)

  test('what is stored is found by its id and by its artifact, oldest first', async () => {
    expect(await hasAttestations(database)).toBe(false)
    await addAttestations(database, [])
    const second = { ...attestation, attestationId: 'two', sourcedFromUri: 'https://b/s/1' }
    await addAttestations(database, [attestation, second])
    await addAttestations(database, [
      { ...attestation, attestationId: 'other digest', digest: 'sha256:cd' },
      { ...attestation, attestationId: 'other repository', repositoryUrl: 'elsewhere' },
    ])
    expect(await hasAttestations(database)).toBe(true)
    expect(await findAttestation(database, 'two')).toEqual(second)
    expect(await findAttestation(database, 'three')).toBeUndefined()
    const { packagePath, digest, repositoryUrl } = attestation
    expect(await attestationsOf(database, { packagePath, digest, repositoryUrl })).toEqual([
      attestation,
      second,
    ])
    expect(await attestationsOf(database, { packagePath, digest })).toHaveLength(3)
  })

  test('of several attestations all or none are stored', async () => {
    await addAttestations(database, [attestation])
    const fresh = { ...attestation, attestationId: 'fresh' }
    await expect(addAttestations(database, [fresh, attestation])).rejects.toThrow()
    expect(await findAttestation(database, 'fresh')).toBeUndefined()
  })

  test('a key is made once, and concurrent requests get the same one', async () => {
    let made = 0
    const make = (): string => `key ${(made += 1)}`
    const keys = await Promise.all([
      keptSecret(database, 'release', make),
      keptSecret(database, 'release', make),
    ])
    expect(new Set(keys).size).toBe(1)
    expect(await keptSecret(database, 'release', make)).toBe(keys[0])
    expect(await keptSecret(database, 'other', make)).not.toBe(keys[0])
  })
})
