import { expect, test } from 'vitest'
import type { RememberedPackage } from '../../ui/device-preferences.ts'
import { packagesOfBuild, scanNames, withoutPackage, withPackage } from './remembered-packages.ts'

function app(version: string): Omit<RememberedPackage, 'scans'> {
  return {
    address: { type: 'oci', name: 'app', version },
    sha256: 'ab',
    repositoryUrl: 'r.example',
  }
}

test('the package that was used last comes first, with the scans of before', () => {
  let packages = withPackage([], { ...app('1'), scan: 'build' })
  packages = withPackage(packages, { ...app('2'), scan: 'release' })
  packages = withPackage(packages, { ...app('1'), scan: 'release' })
  expect(packages).toEqual([
    { ...app('1'), scans: ['release', 'build'] },
    { ...app('2'), scans: ['release'] },
  ])
  expect(scanNames(packages)).toEqual(['release', 'build'])
})

test('a package without a scan keeps those of before, and using it again changes nothing', () => {
  const packages = withPackage([], { ...app('1'), scan: 'build' })
  expect(withPackage(packages, app('1'))).toBe(packages)
  expect(withPackage(packages, { ...app('1'), scan: 'build' })).toBe(packages)
})

test('another digest is another package', () => {
  const packages = withPackage(withPackage([], app('1')), { ...app('1'), sha256: 'cd' })
  expect(packages.map(({ sha256 }) => sha256)).toEqual(['cd', 'ab'])
})

test('the builds behind a package are kept, so that it is found by them', () => {
  let packages = withPackage([], { ...app('1'), builds: ['a'] })
  packages = withPackage(packages, { ...app('2'), builds: ['a', 'b'] })
  packages = withPackage(packages, { ...app('1'), builds: ['c', 'a'], scan: 'release' })
  packages = withPackage(packages, app('1'))
  expect(withPackage(packages, { ...app('1'), builds: ['a'] })).toBe(packages)
  expect(packages[0]).toEqual({ ...app('1'), scans: ['release'], builds: ['c', 'a'] })
  const names = (id: string): string[] =>
    packagesOfBuild(packages, id).map(({ address }) => address.version)
  expect([names('a'), names('b'), names('d')]).toEqual([['1', '2'], ['2'], []])
})

test('40 packages with 8 scans each are kept', () => {
  let packages: readonly RememberedPackage[] = []
  for (let index = 0; index < 60; index++) {
    packages = withPackage(packages, app(String(index)))
    packages = withPackage(packages, { ...app('busy'), scan: `scan-${index}` })
  }
  expect(packages).toHaveLength(40)
  expect(packages[0]?.scans).toHaveLength(8)
  expect(packages[0]?.scans[0]).toBe('scan-59')
})

test('a package can be forgotten', () => {
  const packages = withPackage(withPackage([], app('1')), app('2'))
  expect(withoutPackage(packages, { ...app('1'), scans: ['x'] })).toEqual([
    { ...app('2'), scans: [] },
  ])
})
