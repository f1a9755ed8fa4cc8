import { expect, test } from 'vitest'
import { readPolicySet, selectScan } from './policy-definition.ts'

const yaml = `
apiVersion: policy.gradle.com/v1
kind: PackageUrl
metadata:
  name: no-lombok
  labels:
    gate: build
spec:
  labels:
    severity: critical
  matchingStrategy: none-match
  purls:
  - pkg:maven/org.projectlombok/lombok
---
apiVersion: policy.gradle.com/v1
kind: AttestationsExist
metadata:
  name: complete
  labels: {gate: release}
spec:
  expectedPredicates: [https://gradle.com/attestation/build-tool/v1]
---
---
apiVersion: policy.gradle.com/v1
kind: PolicyScanDefinition
metadata: {name: java-build}
spec:
  policySelector:
    matchLabels: {gate: build}
`

test('policies and scans are read from documents, and a scan selects by all its labels', () => {
  const set = readPolicySet(yaml)
  expect(set.policies.map(({ kind }) => kind)).toEqual(['PackageUrl', 'AttestationsExist'])
  expect(selectScan(set, 'JAVA-build')?.policies.map(({ metadata }) => metadata.name)).toEqual([
    'no-lombok',
  ])
  expect(selectScan(set, 'release')).toBeUndefined()
})

test.each([
  ['kind: [', 'document 1'],
  ['kind: *nowhere', 'document 1'],
  ['apiVersion: policy.gradle.com/v1\nkind: Nothing\nmetadata: {name: x}\nspec: {}', 'kind'],
  [
    'apiVersion: policy.gradle.com/v1\nkind: PackageUrl\nmetadata: {name: x}\nspec: {purls: [a]}',
    'spec matchingStrategy',
  ],
  [
    'apiVersion: policy.gradle.com/v1\nkind: PolicyScanDefinition\nmetadata: {name: x}\nspec: {}',
    'spec policySelector',
  ],
])('%j is refused with its place', (text, part) => {
  expect(() => readPolicySet(`${yaml}\n---\n${text}`)).toThrow(
    part === 'document 1' ? 'document 5' : part,
  )
})
