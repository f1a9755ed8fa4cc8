import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { connectionProblem } from './read-response.ts'
import { decoded, fetchWhole, fetchWithin } from './server-request.ts'
import { onLoopback } from '../free-port.test-support.ts'

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
  const { url, close } = await onLoopback(server)
  const broken = decoded(await fetchWhole(`${url}/`), z.array(z.unknown()))
  await expect(broken).rejects.toThrow('The connection to the Sightline server was closed.')
  await close()
  const other = decoded(new Response('<html>'), z.array(z.unknown()))
  await expect(other).rejects.toThrow("This isn't a Sightline server")
})

/** Listens, and as it is stopped takes no connection: what waits for one fills its queue. */
const stopped = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    process.send(server.address().port, () => process.kill(process.pid, 'SIGSTOP'))
  })
`

test.skipIf(process.platform !== 'linux')(
  'a server that takes no connection is given up in time, as no route to it',
  async () => {
    const child = spawn(process.execPath, ['-e', stopped], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [port] = (await once(child, 'message')) as [number]
    const waiting = Array.from({ length: 8 }, () => connect(port, '127.0.0.1'))
    onTestFinished(() => {
      for (const socket of waiting) socket.destroy()
    })
    await expect
      .poll(() => waiting.filter(({ connecting }) => !connecting).length)
      .toBeGreaterThan(1)
    const fetch = fetchWithin({ connectMs: 300, silentMs: 60_000 })
    const since = performance.now()
    const fault = await fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => error)
    expect(connectionProblem(fault, who).message).toContain('No network route')
    expect(performance.now() - since).toBeLessThan(4000)
  },
)

test('a server that says nothing is given up, but not before as long as the request says that it waits', async () => {
  const server = createServer()
  const { url, close } = await onLoopback(server)
  onTestFinished(close)
  const fetch = fetchWithin({ connectMs: 10_000, silentMs: 50 })
  for (const [headers, longer] of [
    [{}, false],
    [{ prefer: 'wait=2' }, true],
  ] as const) {
    const since = performance.now()
    const fault = await fetch(url, { headers }).catch((error: unknown) => error)
    expect(connectionProblem(fault, who).message).toContain('No response from')
    expect(performance.now() - since > 1990).toBe(longer)
  }
})
