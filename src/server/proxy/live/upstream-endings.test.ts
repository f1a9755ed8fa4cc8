import { expect, onTestFinished, test } from 'vitest'
import {
  createSwiftClock,
  type HubOnSocket,
  readHub,
  startHub,
  until,
} from './hub-on-socket.test-support.ts'
import { rawAnswer, startRawServer } from '../../raw-server.test-support.ts'

/** What a server of HTTP/1.0 writes for a path, byte by byte; it then ends the connection. */
type Script = (path: string) => string

const idOf = (number: number): string => `build${String(number).padStart(8, '0')}`
const message = (number: number): string =>
  `id: ${idOf(number)}\nevent: Build\ndata: ${JSON.stringify({
    buildId: idOf(number),
    timestamp: 1_600_000_000_000 + number,
    toolType: 'gradle',
    toolVersion: '8',
    agentVersion: '4',
  })}\n\n`
const stream = (...parts: string[]): string =>
  `HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${parts.join('')}`
const framed = (text: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`
const nothingLeft = 'HTTP/1.0 204 No Content\r\n\r\n'
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

/** Serves the history by the script, and keeps the live stream open and silent. */
async function start(script: Script): Promise<{ hub: HubOnSocket; asked: () => string[] }> {
  const server = await startRawServer(({ target }, socket) => {
    if (target.endsWith('?stream')) socket.write(stream(': open\n\n'))
    else socket.end(script(target))
  })
  const clock = createSwiftClock(() => 1_700_000_000_000)
  const hub = await startHub(server.url, clock)
  onTestFinished(server.close)
  onTestFinished(() => hub.stop())
  const asked = (): string[] =>
    server.requests.map(({ target }) => target).filter((target) => !target.endsWith('?stream'))
  return { hub, asked }
}
const after = (path: string): number => Number(/build0*(\d+)$/.exec(path)?.[1] ?? 0)

test('a history cut off in the middle of a build is resumed, and nothing is lost', async () => {
  const { hub } = await start((path) => {
    const from = after(path) + 1
    if (from > 413) return nothingLeft
    const text = numbers(from, 414).map(message).join('')
    // Each answer ends after 7,000 bytes, which is nowhere near the end of a message.
    return stream(text.length > 7000 ? text.slice(0, 7000) : text)
  })
  const reader = readHub(hub.origin, '/?since=0')
  await until(() => reader.ids.length >= 413)
  expect(reader.ids).toEqual(numbers(1, 414).map(idOf))
  expect(reader.messages.some(({ event }) => event === 'Gap')).toBe(false)
  reader.leave()
})

test('an answer without any message is requested again, as it may have been cut off', async () => {
  let empty = 2
  const { hub } = await start((path) => {
    if (empty-- > 0) return stream()
    return after(path) === 0 ? stream(message(1), message(2)) : nothingLeft
  })
  const reader = readHub(hub.origin, '/?since=0')
  await until(() => reader.ids.length === 2)
  expect(reader.messages.some(({ event }) => event === 'Gap')).toBe(false)
  reader.leave()
})

const caughtUp = (reader: ReturnType<typeof readHub>): boolean =>
  reader.messages.some(({ event, data }) => event === 'Status' && data.includes('"backlog":0'))

test('a server that has nothing and says its length is believed once it says so again', async () => {
  const { hub, asked } = await start(() => framed(''))
  const reader = readHub(hub.origin, '/?since=0')
  await until(() => caughtUp(reader))
  expect(asked().length).toBe(2)
  expect(reader.messages.some(({ event }) => event === 'Gap')).toBe(false)
  reader.leave()
})

test('where nothing but truncated answers come, the reader gets a gap notice', async () => {
  const { hub } = await start(() => stream())
  const reader = readHub(hub.origin, '/?since=0')
  await until(() => caughtUp(reader))
  expect(reader.messages.some(({ event }) => event === 'Gap')).toBe(true)
  reader.leave()
})

test.each([
  [
    'builds up to and including the resume point are left out',
    idOf(10),
    10,
    numbers(4, 14),
    [11, 12, 13],
  ],
  ['a build that an answer repeats comes once', undefined, 0, [1, 2, 2, 3, 1], [1, 2, 3]],
])('%s', async (_, lastId, from, answered, read) => {
  const { hub } = await start((path) =>
    after(path) === from ? stream(...answered.map(message)) : nothingLeft,
  )
  const reader = readHub(hub.origin, lastId === undefined ? '/?since=0' : '/', lastId)
  await until(() => caughtUp(reader))
  expect(reader.ids).toEqual(read.map(idOf))
  reader.leave()
})

test('builds of the millisecond at which a server lost its memory are not lost', async () => {
  const at = 1_600_000_000_000
  const of = (number: number): string => message(number).replace(/16\d{11}/, String(at))
  let isForgotten = false
  const server = await startRawServer(({ target, headers }, socket) => {
    const [, kind, from] = /builds\/(\w+)\/(\w+)\?stream$/.exec(target) ?? []
    if (kind === 'sinceBuild' || headers.has('last-event-id')) socket.end(rawAnswer(404))
    else if (from === 'now') {
      socket.write(stream(of(1)))
      isForgotten = true
      // Cut after its first build: two more arrive in the same millisecond.
      socket.end()
    } else {
      const isAfter = Number(from) < at
      socket.write(stream(isForgotten && isAfter ? [1, 2, 3].map(of).join('') : ': open\n\n'))
    }
  })
  const hub = await startHub(
    server.url,
    createSwiftClock(() => at),
  )
  onTestFinished(server.close)
  onTestFinished(() => hub.stop())
  const reader = readHub(hub.origin, '/')
  await until(() => reader.ids.length >= 3)
  expect(reader.ids).toEqual([1, 2, 3].map(idOf))
  reader.leave()
})
