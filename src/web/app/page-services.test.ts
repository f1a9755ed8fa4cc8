import { expect, test } from 'vitest'
import { createFetchFile } from './page-services.ts'

test('a file whose connection breaks is said to be incomplete, and what came of it is not given', async () => {
  let pulls = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulls += 1
      if (pulls === 1) controller.enqueue(new Uint8Array(3))
      else controller.error(new TypeError('network error'))
    },
  })
  const pieces: number[] = []
  const fetchFile = createFetchFile(() => Promise.resolve(new Response(body)))
  const { signal } = new AbortController()
  await expect(
    fetchFile('/history/bundle', undefined, ({ length }) => pieces.push(length), signal),
  ).rejects.toThrow('The connection broke before the response was complete.')
  expect(pieces).toEqual([3])
})
