import { expect, test } from 'vitest'
import { readPackageRequest } from './package-request.ts'

const sha256 = '4F2f6cf1c1b5a3b8d1d4b7ce0aa6a3e9f9a0a3d6e7c1b2a4958f0e1d2c3b4a59'
const repositoryUrl = 'registry.example.com/shop'
const address = 'http://127.0.0.1/packages/oci/checkout/2.4.0/attestations'

function json(body: unknown, type = 'application/json; charset=utf-8'): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Request(address, { method: 'POST', headers: { 'Content-Type': type }, body: text })
}

function form(entries: readonly (readonly [string, string])[], multipart: boolean): Request {
  const body = multipart ? new FormData() : new URLSearchParams()
  for (const [name, value] of entries) body.append(name, value)
  return new Request(address, { method: 'POST', body })
}

const expected = {
  sha256: sha256.toLowerCase(),
  repositoryUrl,
  buildScan: { ids: ['k3j7q2m5x7a4c', 'aaaaaaaaaaaaa'], queries: ['tag:ci project:shop'] },
}

test('a JSON body', async () => {
  const { buildScan } = expected
  expect(await readPackageRequest(json({ sha256, repositoryUrl, buildScan, more: 1 }))).toEqual({
    ...expected,
    hasBothLists: true,
  })
})

test.each([
  ['form-encoded', false],
  ['multipart', true],
])('a %s body, with dotted names, repeated or with commas', async (_, multipart) => {
  const fields = [
    ['sha256', sha256],
    ['repositoryUrl', repositoryUrl],
  ] as const
  const queries = ['buildScan.queries', 'tag:ci project:shop'] as const
  const [one = '', two = ''] = expected.buildScan.ids
  for (const ids of [
    [['buildScan.ids', `${one}, ${two}`]] as const,
    [
      ['buildScan.ids', one],
      ['buildScan.ids', two],
    ] as const,
  ]) {
    expect(await readPackageRequest(form([...fields, ...ids, queries], multipart))).toEqual({
      ...expected,
      hasBothLists: false,
    })
  }
})

test.each([false, true])(
  'fields of a form that were left empty select nothing',
  async (multipart) => {
    const fields = [
      ['sha256', sha256],
      ['repositoryUrl', repositoryUrl],
      ['buildScan.ids', ''],
      ['buildScan.ids', ' , '],
      ['buildScan.queries', ''],
    ] as const
    const read = await readPackageRequest(form(fields, multipart))
    expect(read.buildScan).toEqual({ ids: [], queries: [] })
  },
)

test.each([null, {}, { ids: null, queries: null }, { ids: [] }])(
  'a selection of %j selects nothing',
  async (buildScan) => {
    const read = await readPackageRequest(json({ sha256, repositoryUrl, buildScan }))
    expect(read.buildScan).toEqual({ ids: [], queries: [] })
  },
)

test('builds may be left out', async () => {
  const read = await readPackageRequest(json({ sha256, repositoryUrl: 'https://a.example/b' }))
  expect(read.buildScan).toEqual({ ids: [], queries: [] })
})

test.each([
  ['no sha256', json({ repositoryUrl }), 'sha256 is missing'],
  ['a short sha256', json({ sha256: 'ab', repositoryUrl }), 'sha256 must be 64'],
  ['no repository', json({ sha256 }), 'repositoryUrl is missing'],
  ['a repository that is none', json({ sha256, repositoryUrl: 'a b' }), 'repositoryUrl must be'],
  [
    'a repository with a password',
    json({ sha256, repositoryUrl: 'https://u:p@a/b' }),
    'repositoryUrl',
  ],
  [
    'a repository with a password alone',
    json({ sha256, repositoryUrl: 'https://:p@a/b' }),
    'repositoryUrl',
  ],
  [
    'an empty query, which would select every build',
    json({ sha256, repositoryUrl, buildScan: { queries: ['tag:ci', ' '] } }),
    'buildScan.queries.1: must not be empty',
  ],
  [
    'a repository of another scheme',
    json({ sha256, repositoryUrl: 'file:///etc' }),
    'repositoryUrl',
  ],
  [
    'ids that are no texts',
    json({ sha256, repositoryUrl, buildScan: { ids: [1] } }),
    'buildScan.ids',
  ],
  ['no JSON', json('{'), "isn't valid JSON"],
  ['a list', json([]), 'Bad criteria'],
  ['another media type', json('a', 'text/plain'), 'Send application/json'],
  ['a form that is none', json('x', 'multipart/form-data; boundary=y'), "doesn't match"],
])('%s is a bad request', async (_, request, part) => {
  await expect(readPackageRequest(request)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(part) as unknown,
  })
})
