import { expect, test } from 'vitest'
import { groupByPolicy } from '../../../policy/policy-group.ts'
import { scanVerdict } from '../../../policy/verdict.ts'
import { packagePath, policyScanPath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { json, serveGovernor } from './governor-serving.test-support.ts'
import { offeredBoard, seedPackages, seededPackages } from './seed-packages.ts'

test('the packages are good and bad', async () => {
  const { serving, database, signer } = await serveGovernor({ history: 300 })
  const publishing = {
    database,
    clock: serving.clock,
    random: Math.random,
    signer,
    instances: [{ name: 'af:evidence' }],
  }
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
})

test('the board that is offered has what is there, and looks like a board', async () => {
  const { serving, database, signer } = await serveGovernor({ history: 600 })
  const instances = [{ name: 'af:evidence' }]
  const publishing = { database, clock: serving.clock, random: Math.random, signer, instances }
  await seedPackages(publishing, 'http://127.0.0.1')
  const { packages, scans } = offeredBoard()
  const verdicts: Record<string, number> = {}
  for (const { purl, sha256, repositoryUrl } of packages) {
    const read = readPackageReference(purl)
    if (!read.ok) throw new Error(read.mistake)
    for (const scan of scans) {
      const path = policyScanPath(read.reference.address, scan)
      const answer = await serving.request(path, json({ sha256, repositoryUrl }))
      expect(answer.status, path).toBe(200)
      const groups = groupByPolicy(readPolicyAnswer(await answer.json()).results)
      const { verdict } = scanVerdict(groups, { unreadable: 0, complete: true })
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
    }
  }
  expect(packages).toHaveLength(12)
  expect(verdicts.releasable).toBeGreaterThan(10)
  expect(verdicts['not-releasable']).toBeGreaterThan(5)
  await serving.stop()
})
