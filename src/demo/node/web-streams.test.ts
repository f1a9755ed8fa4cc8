import { afterAll, expect, test } from 'vitest'
import { addWebStreams } from './web-streams.ts'

const body = Object.getOwnPropertyDescriptor(Request.prototype, 'body')
const iterator = Object.getOwnPropertyDescriptor(ReadableStream.prototype, Symbol.asyncIterator)
if (body === undefined || iterator === undefined) throw new Error('Node has both')

afterAll(() => {
  Object.defineProperty(Request.prototype, 'body', body)
  Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, iterator)
})

test('where a browser has neither, the body of a request is a stream, and a stream can be iterated over', async () => {
  Reflect.deleteProperty(Request.prototype, 'body')
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator)
  expect(new Request('http://demo.example', { method: 'POST', body: 'text' }).body).toBeUndefined()
  addWebStreams()

  const request = new Request('http://demo.example', { method: 'POST', body: 'whole text' })
  // Whoever only looks takes nothing from who reads.
  expect(request.body).not.toBeNull()
  const chunks: Uint8Array[] = []
  for await (const chunk of request.body ?? []) chunks.push(chunk)
  expect(Buffer.concat(chunks).toString()).toBe('whole text')
  expect(request.bodyUsed).toBe(true)

  expect(new Request('http://demo.example').body).toBeNull()
  const empty = new Request('http://demo.example', { method: 'POST' }).body?.getReader()
  expect(await empty?.read()).toEqual({ done: true, value: undefined })
})
