import { describe, expect, onTestFinished, test } from 'vitest'
import {
  buildNumber,
  buildNumbers,
  sseOf,
  startHostileUpstream,
  idsOf,
} from './hostile-upstream.test-support.ts'
import { until } from './hub-on-socket.test-support.ts'

import {
  arrive,
  live,
  pathsOf,
  read,
  readLive,
  readRefused,
} from './upstream-reading.test-support.ts'

describe('the upstream stream', () => {
  test('begins with what comes now, and resumes after the last build by address and by id', async () => {
    const reading = await readLive()
    await arrive(reading, 0)
    reading.upstream.cut()
    await until(() => reading.upstream.requests.length === 2)
    expect(pathsOf(reading)).toEqual([
      '/build-export/v2/builds/since/now?stream',
      `/build-export/v2/builds/sinceBuild/${buildNumber(0).buildId}?stream`,
    ])
    expect(reading.upstream.requests[1]?.headers['last-event-id']).toBe(buildNumber(0).buildId)
  })

  test('loses nothing when the very first connection breaks before a build came', async () => {
    const reading = await readLive()
    reading.upstream.cut()
    await until(() => !live(reading))
    await arrive(reading, 0)
    expect(reading.upstream.requests.at(-1)?.path).toMatch(/since\/\d{13}\?stream$/)
  })

  test('goes on where it was after a restart of the server', async () => {
    const reading = await readLive()
    await arrive(reading, 0)
    await reading.upstream.stop()
    await until(() => reading.states.includes('retrying'))
    const restarted = await startHostileUpstream(Number(reading.upstream.url.port))
    onTestFinished(restarted.stop)
    restarted.builds.push(...buildNumbers(0, 5))
    await until(() => reading.ids.length === 5)
    expect(reading.ids).toEqual(idsOf(0, 5))
  })

  test('takes 204 for the end, says so, and reconnects every few minutes', async () => {
    const reading = await readRefused('complete', 204)
    const { message, nextAttemptAt, since } = reading.stream.status()
    expect(message).toContain('no more builds will come (204)')
    expect((nextAttemptAt ?? 0) - since).toBe(180_000)
    reading.upstream.answers.length = 0
    await until(() => live(reading))
    await arrive(reading, 0)
    await reading.stream.close()
    expect(reading.upstream.requests).toHaveLength(2)
  })

  test('says that the credential is refused and goes on once it is accepted', async () => {
    const reading = await readRefused('refused', 401)
    expect(reading.stream.status().message).toContain('SIGHTLINE_BUILD_DATA_ACCESS_KEY')
    reading.upstream.answers.length = 0
    await until(() => live(reading))
    await arrive(reading, 0)
  })

  test('waits as long as Retry-After says', async () => {
    const reading = await readRefused('retrying', 503, { 'retry-after': '120' })
    // The clock may have gone on for a moment since.
    expect(reading.waits[0]).toBeGreaterThan(100_000)
    reading.upstream.answers.length = 0
    await until(() => live(reading))
  })

  test('waits five minutes at most, whatever Retry-After says', async () => {
    const retryAfter = { 'retry-after': '3600' }
    const reading = await readRefused('retrying', 503, retryAfter)
    expect(reading.waits[0]).toBeLessThanOrEqual(300_000)
    reading.upstream.answers.length = 0
    await until(() => live(reading))
  })

  test('says of a server that closes connections that it reconnects, and not that somebody should', async () => {
    const reading = await readLive()
    reading.upstream.answers.push((request) => {
      request.socket.destroy()
      return true
    })
    reading.upstream.cut()
    const message = 'The build server closed the connection. It may be restarting. Reconnecting.'
    await until(() => reading.messages.includes(message))
  })

  test('counts and skips what is no build, and does not request it again', async () => {
    const reading = await readLive()
    const { upstream } = reading
    upstream.publish(buildNumber(0))
    upstream.say('id: garbage\nevent: Build\ndata: {"buildId":\n\n')
    upstream.say('event: Build\ndata: {"buildId":"../../etc/pass","timestamp":1}\n\n')
    upstream.say('event: Novelty\ndata: {}\n\n: heartbeat\n\n')
    upstream.say(`id: ${buildNumber(1).buildId}\nevent: Build\ndata: []\n\n`)
    await until(() => reading.stream.status().malformed === 3)
    upstream.builds.push(buildNumber(1))
    upstream.cut()
    await until(() => upstream.requests.length === 2)
    expect(upstream.requests[1]?.path).toContain(buildNumber(1).buildId)
    await until(() => live(reading))
    await arrive(reading, 2)
    expect(reading.ids).toEqual([buildNumber(0).buildId, buildNumber(2).buildId])
  })

  test('passes over a message of 2 MB without losing its neighbours or the connection', async () => {
    const reading = await readLive()
    const { upstream } = reading
    const long = `event: Build\ndata: ${'x'.repeat(2 * 1024 * 1024)}\n\n`
    upstream.say(`${sseOf(buildNumber(0))}${long}${sseOf(buildNumber(1))}`)
    await until(() => reading.ids.length === 2)
    expect(reading.ids).toEqual(idsOf(0, 2))
    expect(reading.stream.status().malformed).toBe(1)
    expect(upstream.requests).toHaveLength(1)
  })

  test('keeps one message one message, whatever line breaks its text holds', async () => {
    const reading = await readLive()
    const agentVersion = '1\nevent: Status\ndata: {}\n\n'
    reading.upstream.publish({ ...buildNumber(0), agentVersion })
    await until(() => reading.ids.length === 1)
    expect(reading.builds[0]?.agentVersion).toBe(agentVersion)
  })

  test('takes silence for a loss', async () => {
    const reading = await read()
    await until(() => reading.states.includes('retrying'))
    expect(reading.messages.some((message) => message.includes('stopped sending data'))).toBe(true)
    await until(() => live(reading))
  })

  test('has been without a server that misses its heartbeats since the last of them', async () => {
    const reading = await readLive()
    for (let beat = 0; beat < 3; beat++) {
      const heardAt = reading.stream.status().lastHeardAt
      await until(() => reading.clock.now() !== heardAt)
      reading.upstream.say(':\n\n')
      await until(() => reading.stream.status().lastHeardAt !== heardAt)
    }
    await until(() => reading.losses.length > 0)
    const [since, lastHeardAt] = reading.losses[0] ?? []
    expect(since).toBe(lastHeardAt)
  })

  test('takes heartbeats for life', async () => {
    const reading = await readLive()
    const heardAt = reading.stream.status().lastHeardAt
    await until(() => reading.clock.now() !== heardAt)
    reading.upstream.say(': heartbeat\n\n')
    await until(() => reading.stream.status().lastHeardAt !== heardAt)
    // A new connection would have been heard as well.
    expect(reading.upstream.requests).toHaveLength(1)
  })

  test('reads version 1 where it is configured', async () => {
    const reading = await read(() => undefined, 'v1')
    await until(() => live(reading))
    expect(reading.stream.status().message).toContain('Gradle builds only')
    const { buildId, timestamp } = buildNumber(0)
    const old = { buildId, timestamp, gradleVersion: '4.10', pluginVersion: '1.16' }
    reading.upstream.say(`id: ${buildId}\nevent: Build\ndata: ${JSON.stringify(old)}\n\n`)
    await until(() => reading.ids.length === 1)
    expect(reading.builds[0]).toEqual({
      buildId,
      timestamp,
      toolType: 'gradle',
      toolVersion: '4.10',
      agentVersion: '1.16',
    })
    expect(pathsOf(reading)[0]).toBe('/build-export/v1/builds/since/now?stream')
  })

  test('goes on by time when the server has forgotten the last build', async () => {
    const reading = await readLive()
    await arrive(reading, 0)
    reading.upstream.builds.length = 0
    reading.upstream.builds.push(buildNumber(1))
    reading.upstream.cut()
    await until(() => reading.ids.length === 2)
    expect(reading.gaps).toEqual([])
  })

  test('takes no history for news where the server gives all after a build that it has forgotten', async () => {
    const reading = await readLive()
    const { upstream, clock } = reading
    const dated = (number: number, ageMs: number) => ({
      ...buildNumber(number),
      timestamp: clock.now() - ageMs,
    })
    upstream.publish(dated(10, 0))
    await until(() => reading.ids.length === 1)
    const old = Array.from({ length: 5 }, (_, number) => dated(number, 86_400_000 - number))
    upstream.builds.splice(0, 1, ...old, dated(11, 0))
    upstream.answers.push((request, response) => {
      if (request.url?.includes('sinceBuild') !== true) return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(upstream.builds.map(sseOf).join(''))
      return true
    })
    upstream.cut()
    await until(() => reading.ids.includes(buildNumber(11).buildId))
    expect(reading.ids).toEqual(idsOf(10, 12))
  })

  test('reports a gap when the server knows neither the last build nor its time', async () => {
    const reading = await readLive()
    await arrive(reading, 0)
    reading.upstream.answers.push((request, response) => {
      if (request.url?.includes('since/now') === true) return false
      response.writeHead(400).end()
      return true
    })
    reading.upstream.cut()
    await until(() => reading.gaps.length === 1)
    expect(reading.gaps).toEqual([buildNumber(0).buildId])
    await until(() => live(reading))
  })

  test.each([302, 500, 418])('tries again after status %i', async (status) => {
    const headers = { location: 'http://127.0.0.1:1/elsewhere' }
    const reading = await readRefused('retrying', status, headers)
    reading.upstream.answers.length = 0
    await until(() => live(reading))
  })

  test('takes a page of HTML for a failure', async () => {
    const reading = await readRefused('retrying', 200, { 'content-type': 'text/html' })
    expect(reading.states).not.toContain('live')
    expect(reading.stream.status().message).toContain(
      'a web page instead of data. Check that SIGHT',
    )
  })

  test('says where a sign-in page in front of the server redirects to, without its query', async () => {
    const location = 'https://login.example.com/authorize?state=canary'
    const reading = await readRefused('retrying', 302, { location })
    const { message } = reading.stream.status()
    expect(message).toContain(
      'The build server redirects to https://login.example.com (302), which',
    )
    expect(message).not.toMatch(/canary|\.\./)
  })
})
