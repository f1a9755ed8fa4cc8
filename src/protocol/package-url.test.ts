import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  packageUrl,
  packageUrlText,
  readPackageUrl,
  type PackageUrlReading,
} from './package-url.ts'
import { realData } from '../real-data.test-support.ts'

const folder = realData('purl/')

const Parts = z.object({
  type: z.string().nullable(),
  namespace: z.string().nullable(),
  name: z.string().nullable(),
  version: z.string().nullable(),
  qualifiers: z.record(z.string(), z.string()).nullable(),
  subpath: z.string().nullable(),
})
const Vectors = z.object({
  tests: z.array(
    z.object({
      description: z.string(),
      test_type: z.enum(['parse', 'build', 'validate']),
      input: z.union([z.string(), Parts]),
      expected_output: z.union([z.string(), Parts, z.null()]),
      expected_failure: z.boolean(),
    }),
  ),
})

function read(input: string | z.infer<typeof Parts>): PackageUrlReading {
  if (typeof input === 'string') return readPackageUrl(input)
  return packageUrl({
    type: input.type ?? '',
    namespace: input.namespace ?? undefined,
    name: input.name ?? '',
    version: input.version ?? undefined,
    qualifiers: Object.entries(input.qualifiers ?? {}),
    subpath: input.subpath ?? undefined,
  })
}

describe.skipIf(!existsSync(folder))('the vectors of the specification', () => {
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const vectors = Vectors.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))).tests
    test.each(vectors.map((vector, index) => ({ ...vector, index })))(
      `${file} $index: $test_type, $description`,
      (vector) => {
        const reading = read(vector.input)
        expect(reading.ok).toBe(!vector.expected_failure)
        if (!reading.ok) return
        const { purl } = reading
        expect(
          typeof vector.expected_output === 'string'
            ? packageUrlText(purl)
            : {
                type: purl.type,
                namespace: purl.namespace ?? null,
                name: purl.name,
                version: purl.version ?? null,
                qualifiers: purl.qualifiers.size === 0 ? null : Object.fromEntries(purl.qualifiers),
                subpath: purl.subpath ?? null,
              },
        ).toEqual(vector.expected_output)
      },
    )
  }
})

test.each([
  ['pkg:npm/@acme/ui@1.0.0', 'pkg:npm/%40acme/ui@1.0.0'],
  ['pkg:npm/@acme/ui', 'pkg:npm/%40acme/ui'],
  ['PKG://Maven//org.acme//shop/@1?type=jar&empty=', 'pkg:maven/org.acme/shop@1?type=jar'],
  ['pkg:oci/Checkout@sha256%3Aab?tag=2.4.0', 'pkg:oci/checkout@sha256:ab?tag=2.4.0'],
  ['pkg:generic/a@1+b/c', 'pkg:generic/a@1%2Bb%2Fc'],
  ['pkg:oci/acme/shop@1', 'pkg:oci/acme/shop@1'],
])('%s is spelled %s', (text, canonical) => {
  const reading = readPackageUrl(text)
  expect(reading.ok && packageUrlText(reading.purl)).toBe(canonical)
})

test.each([
  ['', 'starts with "pkg:".'],
  ['pkg:maven', 'needs a type and a name'],
  ['pkg:3x/a', 'type of a package URL'],
  ['pkg:maven/@1', 'no name'],
  ['pkg:maven/a?b=1&B=2', 'Duplicate qualifier'],
  ['pkg:maven/a?b c=1', 'a qualifier key. Use'],
  ['pkg:maven/%ff', "isn't UTF-8"],
])('"%s" is no package URL, and it is said why', (text, part) => {
  const reading = readPackageUrl(text)
  expect(reading.ok ? '' : reading.mistake).toContain(part)
})

test('whatever is put together reads back the same', () => {
  const word = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/\p{Cs}/u.test(text))
  fc.assert(
    fc.property(
      fc.record(
        {
          type: fc.constantFrom('maven', 'npm', 'generic', 'golang', 'pypi', 'github'),
          namespace: word,
          name: word,
          version: word,
          qualifiers: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'tag'), word), { maxLength: 1 }),
          subpath: word,
        },
        { requiredKeys: ['type', 'name'] },
      ),
      (parts) => {
        const built = packageUrl(parts)
        if (built.ok) expect(readPackageUrl(packageUrlText(built.purl))).toEqual(built)
      },
    ),
  )
})
