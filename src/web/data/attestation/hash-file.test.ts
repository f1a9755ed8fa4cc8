import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { JobProgress } from './attestation-jobs.ts'
import { hashFile } from './hash-file.ts'

const chunk = new Uint8Array(1 << 20).map((_, at) => at * 7)
const large = new Blob(Array.from({ length: 40 }, () => chunk))

test('a large file is hashed by pieces, and how far it is comes in about a hundred steps', async () => {
  const expected = createHash('sha256')
  for (let at = 0; at < 40; at++) expected.update(chunk)
  const reported: JobProgress[] = []
  const digests = await hashFile(large, ['sha256'], (progress) => reported.push(progress))
  expect(digests).toEqual([{ algorithm: 'sha256', value: expected.digest('hex') }])
  expect(reported.length).toBeGreaterThan(20)
  expect(reported.length).toBeLessThanOrEqual(101)
  expect(reported.at(-1)).toEqual({ what: 'hashing', done: large.size, of: large.size })
})

test('an empty file has digests too', async () => {
  const [digest] = await hashFile(new Blob([]), ['sha224'], () => undefined)
  expect(digest?.value).toBe(createHash('sha224').digest('hex'))
})

test('a large file has the names that Git gives it, in either of its hashes', async () => {
  const digests = await hashFile(large, ['gitBlob'], () => undefined)
  const expected = ['sha256', 'sha1'].map((name) => {
    const hash = createHash(name).update(`blob ${large.size}\0`)
    for (let at = 0; at < 40; at++) hash.update(chunk)
    return { algorithm: 'gitBlob', value: hash.digest('hex') }
  })
  expect(digests).toEqual(expected)
})

test('the example of the specification is made', async () => {
  const digests = await hashFile(new Blob(['Hello']), ['gitBlob'], () => undefined)
  expect(digests.map(({ value }) => value)).toContain('5ab2f8a4323abafb10abb68657d9d39f1a775057')
})

test('a file that was moved while it was read is named in a sentence', async () => {
  const broken = Object.assign(new Blob(['a']), {
    stream: () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          controller.error(new DOMException('gone', 'NotReadableError'))
        },
      }),
  })
  await expect(hashFile(broken, ['sha256'], () => undefined)).rejects.toThrow('Select it again')
})
