import { createGunzip } from 'node:zlib'
import { assert, asyncProperty, array, string } from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import { sseBody } from './sse-body.ts'

test('with gzip, what has been sent can be read up to the last text at any moment', async () => {
  const text = string({ unit: 'binary', maxLength: 200 }).map((one) =>
    one.repeat(1 + one.length * 7),
  )
  await assert(
    asyncProperty(array(text, { maxLength: 8 }), async (texts) => {
      const wanted = texts.filter((one) => one !== '')
      const gunzip = createGunzip()
      const plain = gunzip[Symbol.asyncIterator]()
      const reader = sseBody(() => generate(wanted), true).getReader()
      for (const one of wanted) {
        const { value } = await reader.read()
        gunzip.write(value)
        const bytes = Buffer.byteLength(one)
        let read = Buffer.alloc(0)
        while (read.length < bytes) {
          const piece: unknown = (await plain.next()).value
          if (!(piece instanceof Uint8Array)) throw new Error('the stream ended early')
          read = Buffer.concat([read, piece])
        }
        expect(read.toString()).toBe(Buffer.from(one).toString())
      }
      gunzip.end((await reader.read()).value)
      expect((await plain.next()).done).toBe(true)
      expect((await reader.read()).done).toBe(true)
    }),
    { numRuns: runs(40) },
  )
})

test('nothing is made before it is read, and one text at a time', async () => {
  let made = 0
  const body = sseBody(async function* () {
    for (;;) {
      await Promise.resolve()
      made += 1
      yield 'x'
    }
  }, false)
  await someTurns()
  expect(made).toBe(0)
  const reader = body.getReader()
  await reader.read()
  await someTurns()
  expect(made).toBe(1)
  await reader.cancel()
  expect(made).toBe(1)
})

test.each([false, true])('a reader who goes ends the texts (gzip: %s)', async (gzip) => {
  let ended = false
  const body = sseBody(async function* (gone) {
    try {
      yield 'first'
      await new Promise((resolve) => {
        gone.addEventListener('abort', resolve)
      })
    } finally {
      ended = true
    }
  }, gzip)
  const reader = body.getReader()
  await reader.read()
  const pending = reader.read()
  await reader.cancel()
  await pending
  expect(ended).toBe(true)
})

async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

async function* generate(texts: readonly string[]): AsyncGenerator<string, void, undefined> {
  for (const text of texts) {
    await Promise.resolve()
    yield text
  }
}
