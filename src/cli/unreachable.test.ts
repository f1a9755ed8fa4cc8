import { expect, test } from 'vitest'
import { connectionProblem } from './read-response.ts'

const who = 'the policy service at http://127.0.0.1:9'

/** What Node's own fetch throws for an address. */
async function faultOf(url: string): Promise<unknown> {
  return fetch(url).then(
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

test('a port that fetch refuses is named as the reason', async () => {
  const { message } = connectionProblem(await faultOf('http://127.0.0.1:9'), who)
  expect(message).toContain('http://127.0.0.1:9 is reserved for another protocol')
})

test('any other cause is said in its own words, never as the name of a class', () => {
  const fault = new TypeError('fetch failed', { cause: new Error('other side closed') })
  const { message } = connectionProblem(fault, who)
  expect(message).toContain('(other side closed)')
  expect(message).not.toContain('TypeError')
})
