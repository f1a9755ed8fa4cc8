import { expect, test } from 'vitest'
import { allVersionsPath } from './waivers.ts'

test('all versions of a package are meant, whatever its version holds', () => {
  expect(allVersionsPath('/packages/oci/acme/app/1.0%2B2')).toBe('/packages/oci/acme/app/*')
})
