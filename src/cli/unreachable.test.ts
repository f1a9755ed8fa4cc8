import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { connectionProblem } from './read-response.ts'
import { decoded, fetchWhole } from './server-request.ts'

const who = 'the policy service at http://127.0.0.1:9'

/** What is thrown for an address. */
async function faultOf(url: string): Promise<unknown> {
  return fetchWhole(url).then(
    () => undefined,
    (error: unknown) => error,
  )
}

test('a refused connection is said with the address, its cause and the next step', async () => {
  const { message } = connectionProblem(await faultOf('http://127.0.0.1:59999'), who)
  expect(message).toBe(
    'Connection refused. Check that the policy service at http://127.0.0.1:9 is running and that its URL is right.',
  )
  const both = new AggregateError([Object.assign(new Error(''), { code: 'ECONNREFUSED' })])
  expect(connectionProblem(new TypeError('fetch failed', { cause: both }), who).message).toBe(
    message,
  )
})

test('any other cause is said in its own words, never as the name of a class', () => {
  const fault = new TypeError('fetch failed', { cause: new Error('other side closed') })
  const { message } = connectionProblem(fault, who)
  expect(message).toContain('(other side closed)')
  expect(message).not.toContain('TypeError')
})

test('a response that breaks off is no sign of another server', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[{"id":')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const broken = decoded(
    await fetchWhole(`http://127.0.0.1:${String(port)}/`),
    z.array(z.unknown()),
  )
  await expect(broken).rejects.toThrow('The connection to the Sightline server was closed.')
  server.close()
  const other = decoded(new Response('<html>'), z.array(z.unknown()))
  await expect(other).rejects.toThrow("This isn't a Sightline server")
})
