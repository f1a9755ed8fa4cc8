import { expect, test } from 'vitest'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { json, serveGovernor } from './governor-serving.test-support.ts'
import { seedPackages, seededPackages } from './seed-packages.ts'

test('the packages are there once, and are good and bad', async () => {
  const { serving, database, signer } = await serveGovernor({ history: 300 })
  const publishing = {
    database,
    clock: serving.clock,
    random: Math.random,
    signer,
    instances: [{ name: 'af:evidence' }],
  }
  await seedPackages(publishing, 'http://127.0.0.1')
  await seedPackages(publishing, 'http://127.0.0.1')
  const verdicts = new Map<string, string[]>()
  for (const { address, sha256, repositoryUrl } of seededPackages) {
    const path = packagePath(address)
    const scan = json({ sha256, repositoryUrl })
    const answer = await serving.request(`${path}/policy-scans/release`, scan)
    const { results } = readPolicyAnswer(await answer.json())
    const failed = results.filter(({ status }) => status === 'unsatisfied')
    verdicts.set(
      path,
      failed.map(({ policyUri }) => policyUri.split('/').at(-1) ?? ''),
    )
  }
  expect(verdicts.get('/packages/oci/checkout/2.4.0')).toEqual([])
  expect(verdicts.get('/packages/oci/checkout/2.3.0')).toEqual(['provenance-present'])
  expect(verdicts.get('/packages/maven/com.acme.payments/payments/3.1.0')).toEqual([
    'no-known-vulnerable',
  ])
  expect(verdicts.get('/packages/maven/com.acme.logistics/warehouse/1.8.2')).toEqual([
    'approved-repositories',
  ])
  await serving.stop()
}, 60_000)
