import { expect, test } from 'vitest'
import { packageName } from '../policy/scan-report.ts'
import { boardSubjects, readSubject } from './subject.ts'

const offered = (name: string, ...scans: string[]) => ({
  purl: `pkg:oci/${name}@1`,
  sha256: 'ab'.repeat(32),
  repositoryUrl: 'r.example/x',
  scans,
})

test('a board is evaluated package by package, each with those of its scans that it names', () => {
  const board = {
    name: 'shop',
    packages: [offered('ui'), offered('api', 'audit')],
    scans: ['release', 'audit'],
    require: [],
  }
  const wanted = (scan?: string): unknown => {
    const read = boardSubjects([board], 'shop', scan)
    return read.ok ? read.subjects.map((one) => `${one.address.name} ${one.scan}`) : read.mistakes
  }
  expect(wanted()).toEqual(['ui release', 'ui audit', 'api audit'])
  expect(wanted('release')).toEqual(['ui release'])
})

test('artifacts of the same package are named with the repository or digest that differs', () => {
  const sha256 = 'cd'.repeat(32)
  const packages = [
    offered('ui'),
    { ...offered('ui'), repositoryUrl: 'r.example/y' },
    offered('api'),
    { ...offered('api'), sha256 },
    offered('db'),
  ]
  const read = boardSubjects(
    [{ name: 'shop', packages, scans: ['release'], require: [] }],
    'shop',
    undefined,
  )
  expect(read.ok && read.subjects.map(packageName)).toEqual([
    'pkg:oci/ui@1 (r.example/x)',
    'pkg:oci/ui@1 (r.example/y)',
    'pkg:oci/api@1 (sha256:abababababab…)',
    'pkg:oci/api@1 (sha256:cdcdcdcdcdcd…)',
    'pkg:oci/db@1',
  ])
})

test('a package with none of the scans of its board never passes unevaluated', () => {
  const packages = [offered('ui'), offered('api', 'Release')]
  const board = { name: 'shop', packages, scans: ['release'], require: [] }
  expect(boardSubjects([board], 'shop', undefined)).toEqual({
    ok: false,
    mistakes: ['pkg:oci/api@1: has none of the policy scans of the board “shop”.'],
  })
})

test('a repository beside another one in the package is refused, but for what a board configures', () => {
  const words = {
    package: `pkg:oci/ui@1?repository_url=r.example/ui&checksum=sha256:${'ab'.repeat(32)}`,
    ...{ scan: 'release', sha256: undefined },
  }
  const mistakes = [
    '--repository-url differs from the repository in the package. Remove one of them.',
  ]
  expect(readSubject({ ...words, repositoryUrl: 'r.example/x' })).toEqual({ ok: false, mistakes })
  expect(readSubject({ ...words, repositoryUrl: 'r.example/ui' }).ok).toBe(true)
  const packages = [{ ...offered('ui'), purl: words.package }]
  const board = { name: 'shop', packages, scans: ['release'], require: [] }
  expect(boardSubjects([board], 'shop', undefined)).toMatchObject({
    subjects: [{ repositoryUrl: 'r.example/x' }],
  })
})

test.each(['.', '..'])('the scan “%s” would be another address', (scan) => {
  const { purl, ...one } = offered('ui')
  expect(readSubject({ ...one, package: purl, scan })).toEqual({
    ok: false,
    mistakes: [`--scan: The name of a policy scan can't be “${scan}”.`],
  })
})
