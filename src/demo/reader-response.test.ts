import { expect, test } from 'vitest'
import { createReaderResponse } from './reader-response.ts'

const bytes = (length: number): Uint8Array => new Uint8Array(length)

test('a response is its head, what is written, and its end', async () => {
  const { outgoing, response } = createReaderResponse()
  let closed = 0
  outgoing.once('close', () => {
    closed += 1
  })
  outgoing.setHeader('x-own', 'kept')
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  const answered = await response
  expect(answered.headers.get('x-own')).toBe('kept')
  expect(outgoing.write(new TextEncoder().encode('a'))).toBe(true)
  outgoing.end('b')
  expect(await answered.text()).toBe('ab')
  expect(outgoing.writableEnded).toBe(true)
  outgoing.destroy()
  expect(closed).toBe(1)
})

test('a reader that takes nothing stops the writer until it does', async () => {
  const { outgoing, response } = createReaderResponse()
  outgoing.writeHead(200, {})
  let drained = 0
  outgoing.on('drain', () => {
    drained += 1
  })
  const reader = (await response).body?.getReader()
  expect(outgoing.write(bytes(100_000))).toBe(false)
  expect(outgoing.writableLength).toBe(100_000)
  await reader?.read()
  await expect.poll(() => drained).toBe(1)
  expect(outgoing.writableLength).toBe(0)
})

test('a page that is gone ends the response, and nothing more is written', async () => {
  const { outgoing, response } = createReaderResponse()
  const closed = new Promise<void>((resolve) => outgoing.once('close', resolve))
  outgoing.writeHead(200, {})
  await (await response).body?.cancel()
  await closed
  expect(outgoing.destroyed).toBe(true)
  expect(outgoing.write(bytes(1))).toBe(false)
})

test('a response that is cut fails its reader', async () => {
  const { outgoing, response } = createReaderResponse()
  outgoing.writeHead(200, {})
  const text = (await response).text()
  outgoing.destroy()
  await expect(text).rejects.toThrow('ended')
})
