import { expect, test } from 'vitest'
import { ActionList, actionsPath } from '../../../protocol/audit-log.ts'
import { QuarantinedTest, QuarantineList, quarantinePath } from '../../../protocol/quarantine.ts'
import { postJson } from '../proxy-on-socket.test-support.ts'
import { type HistoryServer, historyServer } from '../history/history-server.test-support.ts'

const day = 24 * 60 * 60 * 1000

const post = (proxy: HistoryServer, body: unknown, path = quarantinePath): Promise<Response> =>
  postJson(proxy, path, body)

const adds = { project: 'checkout', task: ':test', className: 'com.acme.ShopTest', name: 'adds()' }

function asked(proxy: HistoryServer, more: object = {}) {
  return { test: adds, reason: ' Times out on CI ', until: proxy.clock.now() + day, ...more }
}

async function listed(proxy: HistoryServer): Promise<readonly QuarantinedTest[]> {
  const response = await proxy.ask(quarantinePath)
  return QuarantineList.parse(await response.json()).quarantined
}

test('a test is quarantined until its date, for all to read, and it is noted who did', async () => {
  const proxy = await historyServer(undefined, { user: 'ada', roles: ['releaser'] })
  const until = proxy.clock.now() + 60_000
  const response = await post(proxy, asked(proxy, { until }))
  expect(response.status).toBe(201)
  expect(await listed(proxy)).toMatchObject([{ test: adds, reason: 'Times out on CI', by: 'ada' }])
  const { actions } = ActionList.parse(await (await proxy.ask(actionsPath)).json())
  expect(actions).toMatchObject([
    { action: 'test-quarantined', subject: 'com.acme.ShopTest.adds() (checkout)' },
  ])
  proxy.clock.advance(60_000)
  expect(await listed(proxy)).toEqual([])
})

test('a test that is quarantined again has the new date and reason alone, and one can end it once', async () => {
  const proxy = await historyServer()
  await post(proxy, asked(proxy))
  const second = await post(
    proxy,
    asked(proxy, { reason: 'Still', until: proxy.clock.now() + 2 * day }),
  )
  const { id } = QuarantinedTest.parse(await second.json())
  expect(await listed(proxy)).toMatchObject([{ id, reason: 'Still' }])
  expect((await post(proxy, {}, `${quarantinePath}/${id}/end`)).status).toBe(200)
  expect(await listed(proxy)).toEqual([])
  expect((await post(proxy, {}, `${quarantinePath}/${id}/end`)).status).toBe(409)
})

test.each<[string, object, string]>([
  ['no reason', { reason: ' ' }, 'reason is empty.'],
  ['a date in the past', { until: 1 }, 'until must be in the future.'],
  ['a date too far ahead', { until: 8e15 }, 'until must be within 90 days.'],
  ['no test', { test: 7 }, 'test must be a test with'],
])('one with %s is refused by the name of the field', async (_what, more, words) => {
  const proxy = await historyServer()
  const response = await post(proxy, asked(proxy, more))
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(words)
})

test.each([
  ['gradle', /^# checkout :test, until \S+, \S+: Times out\n {0}com\.acme\.ShopTest\.adds\n$/],
  ['surefire', /^# [^\n]+\ncom\.acme\.ShopTest#adds\n$/],
  [
    'csv',
    /^project,task,class,name,until,reason,by\r\ncheckout,:test,com\.acme\.ShopTest,adds\(\),/,
  ],
  ['json', /^\[\s+\{\s+"id"/],
])('builds read it as %s, one line a test whatever stands in its reason', async (format, text) => {
  const proxy = await historyServer()
  await post(proxy, asked(proxy, { reason: 'Times\nout' }))
  await post(proxy, asked(proxy, { test: { ...adds, project: 'other' } }))
  const response = await proxy.ask(`${quarantinePath}?format=${format}&project=checkout`)
  expect(await response.text()).toMatch(text)
})

test('without a project it is listed for none', async () => {
  const proxy = await historyServer()
  await post(proxy, asked(proxy))
  await post(proxy, asked(proxy, { test: { ...adds, project: null } }))
  const response = await proxy.ask(`${quarantinePath}?project=`)
  const { quarantined } = QuarantineList.parse(await response.json())
  expect(quarantined.map(({ test }) => test.project)).toEqual([null])
})

test('a test whose name would exclude others is left out of the patterns, by name', async () => {
  const proxy = await historyServer()
  for (const name of ['*', 'adds 1 * 2', 'adds(int, String)[2]', 'really?'])
    await post(proxy, asked(proxy, { test: { ...adds, name } }))
  for (const className of ['com.acme.*', '', null])
    await post(proxy, asked(proxy, { test: { ...adds, className } }))
  const patternsOf = async (format: string): Promise<string[]> => {
    const text = await (await proxy.ask(`${quarantinePath}?format=${format}`)).text()
    expect(text).toContain('# Left out, as its name would match others: com.acme.ShopTest.*; ')
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  }
  expect((await patternsOf('gradle')).sort()).toEqual([
    'com.acme.ShopTest.adds',
    'com.acme.ShopTest.really?',
  ])
  expect(await patternsOf('surefire')).toEqual(['com.acme.ShopTest#adds'])
})

test('a format that nobody knows is refused with those there are', async () => {
  const proxy = await historyServer()
  const response = await proxy.ask(`${quarantinePath}?format=yaml`)
  expect(await response.text()).toContain('gradle, surefire, json or csv')
})
