import { expect, onTestFinished, test } from 'vitest'
import { deliveriesPath, DeliveryList } from '../../../protocol/delivery.ts'
import { addAlert, boardTile, changeTile, noteAttempt, watchTile } from '../../store/alerts.ts'
import { onEachDatabase } from '../../store/on-each-database.test-support.ts'
import { historyServer } from './history-server.test-support.ts'
import { problemOf } from '../proxy-on-socket.test-support.ts'

test('messages of a board are listed with how they stand, and one that failed is sent again once', async () => {
  const proxy = await historyServer(undefined, { settings: { webhookBoards: ['shop'] } })
  const createdAt = proxy.clock.now() - 1000
  const message = { spell: 'verdict 1', kind: 'releasable', text: 'Shop is releasable.', createdAt }
  for (const board of ['shop', 'other']) {
    const alert = { ...message, tile: boardTile(board) }
    await addAlert(proxy.database, alert)
    await noteAttempt(
      proxy.database,
      { ...alert, route: '' },
      { ended: 'given-up', reason: 'Gone.' },
    )
  }
  const list = async (board: string) =>
    DeliveryList.parse(await (await proxy.ask(`${deliveriesPath}?board=${board}`)).json())
  const { configured, deliveries } = await list('shop')
  expect(configured).toBe(true)
  expect(deliveries).toMatchObject([
    { text: 'Shop is releasable.', state: 'failed', reason: 'Gone.', nextAt: null, createdAt },
  ])
  const address = `${deliveriesPath}/${deliveries[0]?.id ?? ''}/retry`
  expect((await proxy.ask(address, { method: 'POST' })).status).toBe(202)
  expect((await list('shop')).deliveries).toMatchObject([{ state: 'waiting', reason: null }])
  expect(await list('other')).toMatchObject({
    configured: false,
    deliveries: [{ state: 'failed' }],
  })
  const again = await proxy.ask(address, { method: 'POST' })
  expect(again.status).toBe(409)
  expect((await problemOf(again)).detail).toContain('is being sent right now')
})

test('a message that is no longer true is not sent again', async () => {
  const { database, clock, ask } = await historyServer(undefined, {
    settings: { alertRoutes: ['', 'r0', 'r1', 'r2'] },
  })
  const createdAt = clock.now() - 1000
  const spell = { tile: 't', spell: 'b', isFailing: true, since: createdAt }
  await watchTile(database, { ...spell, watchedSince: 0 })
  const alert = { tile: 't', spell: 'b', kind: 'red:0', text: 'Shop is failing.', createdAt }
  await addAlert(database, alert)
  await noteAttempt(database, alert, { ended: 'given-up', reason: 'Gone.' })
  await changeTile(database, spell, { ...spell, isFailing: false })
  const { deliveries } = DeliveryList.parse(await (await ask(deliveriesPath)).json())
  const again = await ask(`${deliveriesPath}/${deliveries[0]?.id ?? ''}/retry`, { method: 'POST' })
  expect(again.status).toBe(409)
  expect((await problemOf(again)).detail).toContain('no longer true')
})

test.each([
  ['route', { route: 'payments' }, 'The route “payments” isn’t configured any more'],
  ['webhook', {}, 'SIGHTLINE_WEBHOOK_URL isn’t set any more'],
  ['board', { tile: boardTile('shop') }, 'The board “shop” has no webhook any more'],
])('a message to a %s that is gone is not sent again', async (_, to, sentence) => {
  const { database, clock, ask } = await historyServer(undefined, {
    settings: { alertRoutes: ['other'], webhookBoards: ['other'] },
  })
  const createdAt = clock.now() - 1000
  const alert = {
    ...{ tile: 't', spell: 'b', kind: 'red:0', text: 'Shop is failing.', createdAt, route: '' },
    ...to,
  }
  for (const route of [alert.route, 'other']) {
    await addAlert(database, { ...alert, tile: route === 'other' ? 't' : alert.tile, route })
  }
  await noteAttempt(database, alert, { ended: 'given-up', reason: 'Gone.' })
  const list = async () => DeliveryList.parse(await (await ask(deliveriesPath)).json()).deliveries
  const before = await list()
  expect(before.map(({ state, isReceiverGone }) => [state, isReceiverGone]).toSorted()).toEqual([
    ['failed', true],
    ['waiting', false],
  ])
  const failed = before.find(({ state }) => state === 'failed')
  const again = await ask(`${deliveriesPath}/${failed?.id ?? ''}/retry`, { method: 'POST' })
  expect(again.status).toBe(409)
  expect((await problemOf(again)).detail).toContain(sentence.replaceAll('’', "'"))
  expect(await list()).toEqual(before)
})

onEachDatabase((open) => {
  test('all messages are listed page by page, each once, though some are written at one time or sent again meanwhile', async () => {
    const database = await open()
    onTestFinished(() => database.close())
    const { clock, ask } = await historyServer(undefined, {
      database,
      settings: { alertRoutes: ['', 'r0', 'r1', 'r2'] },
    })
    const text = (number: number): string => `Message ${number}.`
    for (let number = 0; number < 450; number++) {
      const createdAt = clock.now() - 1000 * Math.floor(number / 100)
      const [spell, route] = [`b${number % 7}`, `r${number % 3}`]
      const alert = {
        tile: `t${number}`,
        spell,
        route,
        kind: 'red:0',
        text: text(number),
        createdAt,
      }
      await addAlert(database, alert)
      if (number === 0) await noteAttempt(database, alert, { ended: 'given-up', reason: 'Gone.' })
    }
    const page = async (before = '') =>
      DeliveryList.parse(await (await ask(`${deliveriesPath}${before}`)).json())
    const first = await page()
    expect(first.deliveries).toHaveLength(200)
    const failed = first.deliveries.find(({ state }) => state === 'failed')
    clock.advance(1000)
    await ask(`${deliveriesPath}/${failed?.id ?? ''}/retry`, { method: 'POST' })
    const second = await page(`?before=${first.next ?? ''}`)
    const third = await page(`?before=${second.next ?? ''}`)
    expect([second.deliveries.length, third.deliveries.length, third.next]).toEqual([200, 50, null])
    const all = [first, second, third].flatMap(({ deliveries }) =>
      deliveries.map((one) => one.text),
    )
    expect(new Set(all)).toEqual(new Set(Array.from({ length: 450 }, (_, number) => text(number))))
    const odd = await ask(`${deliveriesPath}?before=yesterday`)
    expect(odd.status).toBe(400)
    expect((await problemOf(odd)).detail).toContain('"before" must be')
  })
})
