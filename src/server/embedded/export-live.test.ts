import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { createGunzip } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addBuilds } from '../store/build-writing.ts'
import { a, build, event, g, m, seed, z } from './seed.test-support.ts'
import { accessKey, serve, type Serving } from './serving.test-support.ts'

const v1 = '/build-export/v1'
const v2 = '/build-export/v2'
const heartbeatMs = 5000

let serving: Serving
beforeEach(async () => {
  serving = await serve({ heartbeatMs })
  await serving.addAll(seed)
})
afterEach(() => serving.stop())

/** Resolves when that many streams have sent all there is and wait. */
function waiting(streams: number): Promise<void> {
  return expect.poll(() => serving.clock.pending(), { interval: 1 }).toBe(streams)
}

describe('Common behaviours 1, streaming', () => {
  test.each(['stream', 'stream=', 'stream=true', 'stream=false', 'stream=0'])(
    'with ?%s the connection stays open and a new build is pushed',
    async (parameter) => {
      const live = await serving.stream(`${v2}/builds/since/0?${parameter}`)
      await live.until(4)
      await serving.add(build('newnewnewnew1', 999_999))
      await live.until(5)
      expect(live.seen.filter((entry) => entry !== ':')).toEqual([
        ...[z, m, a, g].map((id) => `Build ${id}`),
        'Build newnewnewnew1',
      ])
    },
  )

  test('since/now sends only what comes from now on, whatever time it says', async () => {
    const live = await serving.stream(`${v2}/builds/since/now?stream`)
    await waiting(1)
    await serving.add(build('newnewnewnew1', 5))
    await serving.add(build('newnewnewnew2', 1_000_000))
    await live.until(3)
    expect(live.seen).toEqual([':', 'Build newnewnewnew1', 'Build newnewnewnew2'])
  })

  test('sinceBuild goes on after the build, and so does a resumed stream', async () => {
    const plain = await serving.stream(`${v2}/builds/sinceBuild/${a}?stream`)
    const headers = { 'Last-Event-ID': a }
    const resumed = await serving.stream(`${v2}/builds/since/0?stream`, { headers })
    await Promise.all([plain.until(1), resumed.until(1)])
    await waiting(2)
    await serving.add(build('newnewnewnew1', 5))
    await Promise.all([plain.until(2), resumed.until(2)])
    expect(plain.seen).toEqual([`Build ${g}`, 'Build newnewnewnew1'])
    expect(resumed.seen).toEqual(plain.seen)
  })

  test('many builds stored while the backlog is sent arrive once and in order', async () => {
    const live = await serving.stream(`${v2}/builds/since/0?stream`)
    const ids = Array.from({ length: 1500 }, (_, n) => `n${n.toString(36).padStart(12, '0')}`)
    for (let start = 0; start < ids.length; start += 50) {
      await serving.addAll(ids.slice(start, start + 50).map((id) => build(id, 7, { events: [] })))
    }
    await live.until(1504)
    const builds = live.seen.filter((entry) => entry !== ':')
    expect(builds).toEqual([z, m, a, g, ...ids].map((id) => `Build ${id}`))
  })

  test('a comment is sent while nothing else is, and only then', async () => {
    const live = await serving.stream(`${v2}/builds/since/0?stream`)
    await live.until(4)
    await waiting(1)
    serving.clock.advance(heartbeatMs - 1)
    await serving.add(build('newnewnewnew1', 5))
    await live.until(5)
    await waiting(1)
    serving.clock.advance(heartbeatMs - 1)
    await waiting(1)
    expect(live.seen).not.toContain(':')
    serving.clock.advance(1)
    await live.until(6)
    expect(live.seen.at(-1)).toBe(':')
  })

  test('version 1 is quiet about builds of other tools, and its comments come all the same', async () => {
    const live = await serving.stream(`${v1}/builds/since/3000?stream`)
    await live.until(1)
    await waiting(1)
    for (let step = 0; step < 2; step += 1) {
      serving.clock.advance(heartbeatMs / 2)
      await serving.add(build(`mavenmaven00${step}`, 4000, { toolType: 'maven' }))
      await waiting(1)
    }
    await live.until(2)
    await serving.add(build('gradlegradle1', 4000))
    await live.until(3)
    expect(live.seen).toEqual([`Build ${g}`, ':', 'Build gradlegradle1'])
  })

  test('a build stored by another process comes with the next comment', async () => {
    const live = await serving.stream(`${v2}/builds/since/now?stream`)
    await live.until(1)
    await waiting(1)
    await addBuilds(serving.database, [build('elsewhere0001', 5)])
    serving.clock.advance(heartbeatMs)
    await live.until(2)
    expect(live.seen[1]).toBe('Build elsewhere0001')
  })

  test('closing the services ends every stream', async () => {
    const streams = await Promise.all(
      [1, 2, 3].map(() => serving.stream(`${v2}/builds/since/now?stream`)),
    )
    await waiting(3)
    await serving.close()
    await Promise.all(streams.map((stream) => stream.ended))
    expect(serving.clock.pending()).toBe(0)
    // A listing that ends by itself is whole even then, as nothing in it would show that it is not.
    const whole = await serving.stream(`${v2}/builds/since/0`)
    await whole.ended
    expect(whole.seen).toHaveLength(4)
  })
})

describe('Common behaviours 3, compression', () => {
  function raw(path: string, encoding?: string): Promise<IncomingMessage> {
    const headers = {
      Authorization: `Bearer ${accessKey}`,
      ...(encoding === undefined ? {} : { 'Accept-Encoding': encoding }),
    }
    return new Promise((resolve, reject) => {
      get({ port: serving.port, host: '127.0.0.1', path, headers }, resolve).on('error', reject)
    })
  }

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['br, GZIP;q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['deflate', undefined],
  ])('Accept-Encoding %o gives Content-Encoding %o on every resource', async (accepted, given) => {
    for (const path of ['builds/since/0', `builds/sinceBuild/${z}`, `build/${z}/events`]) {
      const answer = await raw(`${v2}/${path}`, accepted)
      expect(answer.headers['content-encoding']).toBe(given)
      const bytes = given === undefined ? answer : answer.pipe(createGunzip())
      let text = ''
      for await (const piece of bytes) text += String(piece)
      expect(text).toContain('event: Build\ndata: {')
    }
  })

  test('a live message is not held back by compression', async () => {
    const answer = await raw(`${v2}/builds/since/now?stream`, 'gzip')
    const texts = answer.pipe(createGunzip())[Symbol.asyncIterator]()
    expect(String((await texts.next()).value)).toBe(': heartbeat\n\n')
    await serving.add(build('newnewnewnew1', 5))
    expect(String((await texts.next()).value)).toContain('id: newnewnewnew1\n')
    answer.destroy()
  })
})

test('200 opened and closed streams leave no listener or timer behind', async () => {
  const streams = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      serving.stream(`${n % 2 === 0 ? v2 : v1}/builds/since/${n % 3 === 0 ? 'now' : 0}?stream`),
    ),
  )
  await waiting(200)
  for (const stream of streams) stream.hangUp()
  await waiting(0)
})

test('a HEAD request leaves nothing behind', async () => {
  const answer = await serving.request(`${v2}/builds/since/0?stream`, { method: 'HEAD' })
  expect(answer.status).toBe(200)
  expect(serving.clock.pending()).toBe(0)
})

test('a reader that does not read costs one piece of the stream, and gets all of it later', async () => {
  const events = Array.from({ length: 400 }, (_, n) =>
    event('Log', `{"n":${n},"x":"${'x'.repeat(100_000)}"}`),
  )
  await serving.add(build('bigbigbigbig1', 5, { events }))
  const socket = connect(serving.port, '127.0.0.1')
  socket.pause()
  const lines = [`GET ${v2}/build/bigbigbigbig1/events HTTP/1.1`, 'Host: x', 'Connection: close']
  socket.write(`${[...lines, `Authorization: Bearer ${accessKey}`].join('\r\n')}\r\n\r\n`)
  await expect.poll(() => serving.connections()[0]?.writableNeedDrain).toBe(true)
  const [served] = serving.connections()
  for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(served?.writableLength).toBeLessThan(3_000_000)
  expect(served?.bytesWritten).toBeLessThan(20_000_000)
  let text = ''
  for await (const piece of socket) text += String(piece)
  expect(text.match(/^id: \d+$/gm)).toHaveLength(400)
})
