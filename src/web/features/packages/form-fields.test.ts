import { expect, test } from 'vitest'
import { emptyFields, readForm, withReference } from './form-fields.ts'

const hex = 'ab'.repeat(32)
const image = `registry.acme.example/shop/checkout:2.4.0@sha256:${hex}`

test('every mistake is told at once, each at its field', () => {
  const read = readForm({ ...emptyFields, reference: 'x', sha256: 'xyz' })
  expect(read.ok ? [] : Object.keys(read.mistakes)).toEqual([
    'reference',
    'sha256',
    'repositoryUrl',
    'scan',
  ])
})

test('an image fills in its digest and registry, and only the scan is left to say', () => {
  const fields = withReference(emptyFields, image)
  expect(fields).toEqual({
    reference: image,
    sha256: hex,
    repositoryUrl: 'registry.acme.example/shop',
    scan: '',
  })
  expect(readForm({ ...fields, scan: 'release' })).toMatchObject({
    ok: true,
    address: { type: 'oci', name: 'checkout', version: '2.4.0' },
  })
})

test('what was typed is not replaced, and what a reference filled in goes with it', () => {
  const typed = withReference({ ...emptyFields, repositoryUrl: 'mirror.example' }, image)
  expect(typed).toMatchObject({ repositoryUrl: 'mirror.example', sha256: hex })
  expect(withReference(typed, 'com.acme:shop:1')).toMatchObject({
    repositoryUrl: 'mirror.example',
    sha256: '',
  })
})
