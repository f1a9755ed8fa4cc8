import { describe, expect, test } from 'vitest'
import { attributesKey, toBuildSummary } from '../../../protocol/build-data.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import { LiveFacts } from '../../../protocol/live-feed.ts'
import { buildNumber, buildNumbers } from './hostile-upstream.test-support.ts'
import { createSwiftClock, readHub, until } from './hub-on-socket.test-support.ts'
import { start, startSilent } from './hub-under-test.test-support.ts'

import {
  where,
  one,
  list,
  everything,
  withAttributes,
  toolOf,
  buildOf,
  listBody,
} from './build-facts.test-support.ts'

describe('facts in the live feed', () => {
  const attributes = where(one, 200, (match) => JSON.stringify(withAttributes(buildOf(match))))

  test('follow their build, also for readers that come later or request history', async () => {
    const answers = [attributes, where(list, 200, listBody)]
    const { upstream, hub } = await start({ facts: true }, undefined, answers)
    const early = readHub(hub.origin, '/')
    await until(() => early.messages.length > 0)
    for (const build of buildNumbers(0, 5)) upstream.publish(build)
    const told = (reader: typeof early): string[] =>
      reader.messages.flatMap(({ event, data }) =>
        event === 'Facts' ? [LiveFacts.parse(JSON.parse(data)).buildId] : [],
      )
    await until(() => told(early).length === 5)
    const later = readHub(hub.origin, '/', buildNumber(0).buildId)
    const historian = readHub(hub.origin, '/?since=0')
    await until(() => told(later).length >= 4 && told(historian).length >= 5)
    expect(later.ids).toHaveLength(4)
    expect(new Set(told(historian)).size).toBe(5)
    for (const reader of [early, later, historian]) {
      for (const buildId of reader.ids) {
        const announced = reader.messages.findIndex(({ id }) => id === buildId)
        const known = reader.messages.findIndex(
          ({ event, data }) => event === 'Facts' && data.includes(buildId),
        )
        expect(known).toBeGreaterThan(announced)
      }
    }
    const asked = upstream.requests.filter(({ path }) => path.startsWith('/api/')).length
    expect(asked).toBeLessThanOrEqual(5)
  })

  test('may come in a burst of megabytes without anybody being taken for slow', async () => {
    const large = (build: BuildMessage): object => ({
      ...toBuildSummary(build),
      models: { [attributesKey(toolOf(build))]: { model: { tags: ['x'.repeat(20_000)] } } },
    })
    const { upstream, hub } = await start({ facts: true }, createSwiftClock(Date.now, 1), [
      where(one, 200, (match) => JSON.stringify(large(buildOf(match)))),
      where(list, 200, (_, url) => {
        const from = url.searchParams.get('fromBuild')
        const first = everything.findIndex(({ buildId }) => buildId === from) + 1
        return JSON.stringify(everything.slice(first, first + 100).map(large))
      }),
    ])
    const reader = readHub(hub.origin, '/')
    await until(() => reader.messages.length > 0)
    for (const build of everything) upstream.publish(build)
    await until(() => reader.messages.filter(({ event }) => event === 'Facts').length === 300)
    expect(hub.metric('readers_opened')).toBe(1)
    expect(hub.metric('readers_lagging')).toBe(0)
  })

  test('come to readers of history also while the live stream is refused', async () => {
    const isLive = /\/builds\/since\/now$/
    const { hub } = await startSilent(
      ({ builds, answers }) => {
        builds.push(...buildNumbers(0, 5))
        answers.push(attributes, where(list, 200, listBody), where(isLive, 429))
      },
      { facts: true },
    )
    const historian = readHub(hub.origin, '/?since=0')
    await until(() => historian.messages.filter(({ event }) => event === 'Facts').length === 5)
    expect(hub.metric('upstream_live')).toBe(0)
  })

  test('that the upstream never answers hold up no build', async () => {
    const { upstream, hub } = await start({ facts: true }, undefined, [
      (request) => request.url?.startsWith('/api/') === true,
    ])
    const reader = readHub(hub.origin, '/')
    await until(() => reader.messages.length > 0)
    for (const build of buildNumbers(0, 50)) upstream.publish(build)
    await until(() => reader.ids.length === 50)
    expect(hub.metric('facts_waiting')).toBe(50)
  })
})
