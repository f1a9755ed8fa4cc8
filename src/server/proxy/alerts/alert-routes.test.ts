import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { wait } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { SharedSearch } from '../../../protocol/shared-search.ts'
import type { Wall } from '../../../protocol/wall.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { addAlert, boardTile } from '../../store/alerts.ts'
import { claimsOfTile, sayOfTile } from '../../store/claims.ts'
import { listDeliveries } from '../../store/deliveries.ts'
import type { Database } from '../../store/database.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { samplePerson } from '../../store/sample-history.test-support.ts'
import type { AlertRoute } from './alert-route.ts'
import { noteUntil, unnotedSince } from './alert-tile.ts'
import { type AlertWatch, startAlertWatch } from './alert-watch.ts'
import { nothingRead } from './nothing-read.test-support.ts'
import type { Webhook } from './webhook.ts'

const minute = 60_000
const receivers = { routes: [''], boards: [] }
/** A Monday, 21:00 UTC. */
const start = Date.UTC(2026, 0, 5, 21)

let database: Database
let clock: ManualClock
let watch: AlertWatch
let sent: { to: string; texts: string[] }[]
let answers: Facts[]
let search: SharedSearch['search']
/** Receivers that are down, and those that take a message and don't answer. */
const down = new Set<string>()
const hanging = new Set<string>()
/** Receivers that confirm a message after a minute. */
const slow = new Set<string>()
/** Receivers that take nothing for a second after each message. */
const limited = new Set<string>()
/** Ends what the search for all failures is waiting for; undefined where it answers at once. */
let heldSearch: Promise<void> | undefined
/** Tiles of the wall `shop`, while somebody changes them; undefined where it was deleted. */
let shopTiles: Wall['tiles'] | undefined
/** Receivers that take fewer messages as one. */
const fitting = new Map<string, number>()
/** Receivers of which one person is refused what the others get. */
const refusing = new Set<string>()
let count = 0

beforeEach(async () => {
  database = await memoryDatabase()
  clock = createManualClock(start)
  sent = []
  answers = []
  search = 'supported'
  down.clear()
  hanging.clear()
  slow.clear()
  refusing.clear()
  heldSearch = undefined
  fitting.clear()
})
afterEach(async () => {
  const closed = watch.close()
  await settle()
  clock.advance(10_000)
  await closed
  await database.close()
})

/** Somebody who takes what comes, and says so. */
function receiver(to: string): Webhook {
  return {
    send: async (messages) => {
      if (limited.has(to)) {
        limited.delete(to)
        return { kind: 'later', reason: 'The webhook responded with 429.', pauseMs: 1000 }
      }
      if (down.has(to)) return { kind: 'later', reason: 'The webhook responded with 503.' }
      if (hanging.has(to)) {
        await wait(clock, 10_000, new AbortController().signal)
        return { kind: 'later', reason: "Can't reach the webhook." }
      }
      const whom = messages[0]?.leftTo ?? to
      sent.push({
        to: whom,
        texts: messages.map(({ text }) => text.replace(/(?: \(since|\. ).*/, '')),
      })
      if (to === 'limited') limited.add(to)
      if (whom === to && refusing.has(to))
        return { kind: 'later', reason: 'Refused lead.', leftTo: 'lead' }
      if (slow.has(to)) await wait(clock, minute)
      return { kind: 'sent' }
    },
    longestMs: 2 * minute,
    fitting: (messages) => fitting.get(to) ?? messages.length,
    last: () => undefined,
    close: () => Promise.resolve(),
  }
}

async function startWatch(
  routes: readonly Partial<AlertRoute>[],
  {
    everyProject = true,
    redFor = [0],
    query = 'project:web',
    since,
  }: Partial<{
    everyProject: boolean
    redFor: number[]
    query: string
    since: number | undefined
  }> = {},
): Promise<void> {
  const all = routes.map((route, index): AlertRoute => {
    return { name: `route-${index}`, shape: 'slack', email: [], ...route }
  })
  shopTiles = [{ title: 'Shop window', query, pinned: false }]
  watch = startAlertWatch({
    since,
    rules: { walls: [], everyProject, redFor, recovered: true, webhookHosts: [], routes: all },
    webhook: receiver('main'),
    routes: all.map((route) => ({ route, webhook: receiver(route.name) })),
    remindDays: [],
    boards: [],
    boardRules: { dashboard: undefined, redact: (text) => text },
    walls: () =>
      Promise.resolve(
        shopTiles === undefined
          ? []
          : [{ name: 'shop', tiles: shopTiles, order: 'stable', group: 'none' }],
      ),
    defaultBranches: {},
    database,
    audit: { record: () => undefined },
    searches: {
      request: async (query) => {
        if (query === 'buildOutcome:failed') await heldSearch
        const matches = compile(parse(query), { now: clock.now(), timeZone: 'UTC' })
        return {
          ...{ query, askedAt: clock.now(), ageMs: 0, pollMs: 1000, search, problem: null },
          builds: answers.filter((facts) => matches(facts) === 'yes'),
        }
      },
      size: () => 1,
      close: () => undefined,
    },
    isLive: () => true,
    facts: { read: nothingRead },
    failures: { read: nothingRead },
    clockSkewMs: () => 0,
    origin: null,
    clock,
    random: () => 0,
    logger: pino({ level: 'silent' }),
  })
  await settle()
}

/** Lets what was begun come to its end. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function pass(ms: number, step = ms): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    clock.advance(Math.min(step, left))
    await settle()
  }
}

function build(
  project: string,
  outcome: 'failed' | 'succeeded',
  receivedAt: number = clock.now(),
): Facts {
  count++
  const facts: Facts = {
    buildId: `b${String(count).padStart(12, '0')}`,
    receivedAt,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project,
    outcome,
  }
  watch.learn(facts)
  return facts
}

/** Two projects that are well, a while ago. */
async function wellBefore(): Promise<void> {
  for (const project of ['web', 'payments']) build(project, 'succeeded')
  await pass(minute, 30_000)
}

test('a failure that the feed brings is sent within a second, once to each route that takes it', async () => {
  await startWatch([
    { name: 'payments', projects: ['pay*'] },
    { name: 'shop', walls: ['shop'] },
    { name: 'all' },
  ])
  await wellBefore()
  build('payments', 'failed')
  await pass(1000, 250)
  expect(sent.map(({ to, texts }) => [to, ...texts])).toEqual(
    expect.arrayContaining([
      ['main', '✕ payments is failing'],
      ['payments', '✕ payments is failing'],
      ['all', '✕ payments is failing'],
    ]),
  )
  expect(sent).toHaveLength(3)
  await pass(5 * minute, 30_000)
  expect(sent).toHaveLength(3)
})

test('however many receivers there are, none is taken for a leak', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', note)
  await startWatch(Array.from({ length: 12 }, () => ({})))
  process.off('warning', note)
  expect(warnings).toEqual([])
})

test('a route for projects alone gets them where nothing else is watched, and its recovery too', async () => {
  await startWatch([{ name: 'payments', projects: ['payments'] }], { everyProject: false })
  await wellBefore()
  build('payments', 'failed')
  build('web', 'failed')
  await pass(1000, 250)
  build('payments', 'succeeded')
  await pass(1000, 250)
  expect(sent).toEqual([
    { to: 'payments', texts: ['✕ payments is failing'] },
    { to: 'payments', texts: ['✓ payments has recovered'] },
  ])
})

test('a project with a tile of its own is still one of every project', async () => {
  await startWatch([{ name: 'shop', walls: ['shop'] }])
  await wellBefore()
  build('web', 'failed')
  await pass(1000, 250)
  expect(sent).toEqual([
    { to: 'main', texts: ['✕ Shop window is failing'] },
    { to: 'shop', texts: ['✕ Shop window is failing'] },
  ])
})

test('who was notified of a failure is notified of its recovery, whatever the tile is about by then', async () => {
  await startWatch([{ name: 'pay', walls: ['shop'], projects: ['payments'] }], {
    everyProject: false,
    query: 'project:*',
  })
  build('payments', 'succeeded')
  await pass(minute, 30_000)
  build('payments', 'failed')
  await pass(1000, 250)
  build('web', 'succeeded')
  build('payments', 'succeeded')
  await pass(minute, 30_000)
  expect(sent).toEqual([
    { to: 'pay', texts: ['✕ Shop window is failing'] },
    { to: 'pay', texts: ['✓ Shop window has recovered'] },
  ])
})

test('a project that is spelled otherwise is the same one, on a tile and after a restart', async () => {
  const shop = [{ name: 'shop', walls: ['shop'] }]
  await startWatch(shop, { query: 'project:WEB' })
  for (const project of ['Web', 'Payments']) build(project, 'succeeded')
  await pass(minute, 30_000)
  answers = [build('Web', 'failed'), build('Payments', 'failed')]
  await pass(minute, 30_000)
  await watch.close()
  await startWatch(shop, { query: 'project:web' })
  answers.unshift(build('web', 'failed'), build('payments', 'failed'))
  await pass(2 * minute, 30_000)
  const main = sent.filter(({ to }) => to === 'main').flatMap(({ texts }) => texts)
  expect(main.toSorted()).toEqual(['✕ Payments is failing', '✕ Shop window is failing'])
})

test('what people say of a failure ends with it, and says nothing of the next one', async () => {
  await startWatch([], { redFor: [0, 1] })
  await wellBefore()
  const { receivedAt } = build('payments', 'failed')
  await pass(1000, 250)
  const tile = 'project:payments'
  const until = clock.now() + 600 * minute
  const sleep = { tile, kind: 'sleep', reason: 'known', until, failingSince: receivedAt } as const
  await sayOfTile(database, sleep, { ...samplePerson('ann'), at: clock.now() })
  build('payments', 'failed')
  await pass(2 * minute, 30_000)
  expect(await claimsOfTile(database, tile)).toHaveLength(1)
  build('payments', 'succeeded')
  await pass(1000, 250)
  expect(await claimsOfTile(database, tile)).toEqual([])
  expect(sent.flatMap(({ texts }) => texts)).toEqual([
    '✕ payments is failing',
    '✓ payments has recovered',
  ])
})

test('where the server does not search, what happened while nobody was here is told by the feed', async () => {
  search = 'unsupported'
  await startWatch([])
  await wellBefore()
  build('payments', 'failed')
  await pass(minute, 30_000)
  await watch.close()
  clock.advance(10 * minute)
  const since = await unnotedSince(database, clock.now())
  expect(since).toBe(clock.now() - 10 * minute)
  await startWatch([], { since })
  build('payments', 'failed', clock.now() - 9 * minute)
  build('payments', 'succeeded', clock.now() - 8 * minute)
  build('web', 'failed', clock.now() - 5 * minute)
  build('old', 'failed', clock.now() - 50 * minute)
  await pass(minute, 30_000)
  const texts = sent.slice(1).flatMap((one) => one.texts)
  expect(texts.toSorted()).toEqual(['✓ payments has recovered', '✕ web is failing'])
})

test('what waits for a route that is gone is left out, and not sent when its name comes back', async () => {
  const route = { name: 'old', digestMinutes: 10 }
  await startWatch([route])
  await wellBefore()
  build('payments', 'failed')
  await pass(minute, 30_000)
  for (const routes of [[], [route]]) {
    await watch.close()
    await startWatch(routes)
  }
  await pass(11 * minute, 30_000)
  expect(sent.map(({ to }) => to)).toEqual(['main'])
  expect(await listDeliveries(database, { limit: 10, receivers })).toContainEqual(
    expect.objectContaining({ to: 'route old', reason: "Its receiver isn't configured any more." }),
  )
})

test.each([0, -3, 3])(
  'what nobody has noted is news for an hour, however far off the clock of the build server is: %i h',
  async (hours) => {
    const [now, skewMs] = [clock.now(), hours * 60 * minute]
    expect(await unnotedSince(database, now)).toBeUndefined()
    await noteUntil(database, now - minute, skewMs)
    await noteUntil(database, now, skewMs)
    expect(await unnotedSince(database, now + minute)).toBe(now + skewMs)
    expect(await unnotedSince(database, now + 90 * minute)).toBe(now + skewMs + 30 * minute)
  },
)

test('quiet hours hold back what still matters at their end, sent as one', async () => {
  const quiet = { from: '22:00', to: '07:00', timeZone: 'UTC' }
  await startWatch([{ name: 'day', projects: ['*'], quiet }], {
    everyProject: false,
    redFor: [0, 60],
  })
  await wellBefore()
  await pass(70 * minute, 30_000)
  build('payments', 'failed')
  build('web', 'failed')
  await pass(1000, 250)
  build('web', 'succeeded')
  await pass(2 * 60 * minute, 60_000)
  expect(sent).toEqual([])
  await pass(8 * 60 * minute, 5 * minute)
  expect(sent).toEqual([{ to: 'day', texts: ['✕ payments is still failing after 8 hours'] }])
})

test('of a night with many failures nothing is sent that is over, and what is not in parts of twenty', async () => {
  const quiet = { from: '22:00', to: '07:00', timeZone: 'UTC' }
  await startWatch([{ name: 'day', projects: ['*'], quiet }], { everyProject: false })
  const projects = Array.from(
    { length: 45 },
    (_, index) => `project ${String(index).padStart(2, '0')}`,
  )
  for (const project of projects) build(project, 'succeeded')
  await pass(70 * minute, minute)
  for (const project of projects) build(project, 'failed')
  await pass(10 * minute, minute)
  for (const project of projects.slice(0, 20)) build(project, 'succeeded')
  await pass(9 * 60 * minute, 5 * minute)
  expect(sent.map(({ texts }) => texts.length)).toEqual([20, 5])
  expect(new Set(sent.flatMap(({ texts }) => texts))).toEqual(
    new Set(projects.slice(20).map((project) => `✕ ${project} is failing`)),
  )
})

test('a digest gathers messages for its minutes, and leaves out what is over', async () => {
  await startWatch([{ name: 'digest', projects: ['*'], digestMinutes: 30 }], {
    everyProject: false,
  })
  await wellBefore()
  build('payments', 'failed')
  await pass(10 * minute, minute)
  build('web', 'failed')
  build('checkout', 'succeeded')
  await pass(10 * minute, minute)
  expect(sent).toEqual([])
  await pass(11 * minute, minute)
  expect(sent).toEqual([{ to: 'digest', texts: ['✕ payments is failing', '✕ web is failing'] }])
  build('web', 'succeeded')
  await pass(31 * minute, minute)
  expect(sent.slice(1)).toEqual([{ to: 'digest', texts: ['✓ web has recovered'] }])
  expect(await listDeliveries(database, { limit: 10, receivers })).toHaveLength(3)
})

test('a receiver that hangs delays no other one, and nothing that happens meanwhile is lost', async () => {
  await startWatch([{ name: 'slow', projects: ['*'] }])
  await wellBefore()
  hanging.add('slow')
  for (const project of ['one', 'two', 'three']) build(project, 'failed')
  await pass(2000, 250)
  build('payments', 'failed')
  await pass(1000, 250)
  expect(sent.slice(3)).toEqual([{ to: 'main', texts: ['✕ payments is failing'] }])
  build('payments', 'succeeded')
  await pass(1000, 250)
  build('payments', 'failed')
  await pass(1000, 250)
  expect(sent.slice(4)).toEqual([
    { to: 'main', texts: ['✓ payments has recovered'] },
    { to: 'main', texts: ['✕ payments is failing'] },
  ])
  hanging.clear()
  await pass(5 * minute, 10_000)
  const late = sent.filter(({ to }) => to === 'slow').flatMap(({ texts }) => texts)
  expect(late.toSorted()).toEqual([
    '✕ one is failing',
    '✕ payments is failing',
    '✕ three is failing',
    '✕ two is failing',
  ])
})

describe('a receiver that confirms a message after a minute gets it once', () => {
  beforeEach(async () => {
    await startWatch([], { everyProject: true })
    await wellBefore()
    slow.add('main')
    build('payments', 'failed')
    await pass(2000, 250)
    expect(sent).toHaveLength(1)
  })

  test('where another process could send it meanwhile', async () => {
    const first = watch
    await startWatch([], { everyProject: true })
    const second = watch
    await pass(5 * minute, 10_000)
    expect(sent).toEqual([{ to: 'main', texts: ['✕ payments is failing'] }])
    watch = first
    await second.close()
  })

  test('while the database takes no note of it', async () => {
    await database.kysely.schema.alterTable('alerts').renameTo('alerts_away').execute()
    await pass(10 * minute, 10_000)
    await database.kysely.schema.alterTable('alerts_away').renameTo('alerts').execute()
    await pass(10 * minute, 10_000)
    expect(sent).toHaveLength(1)
    const states = (await listDeliveries(database, { limit: 9, receivers })).map((one) => one.state)
    expect(states).toEqual(['sent'])
  })

  test('where Sightline ends in the middle, and leaves what is left to whoever comes next', async () => {
    await pass(minute, 10_000)
    build('payments', 'succeeded')
    build('web', 'failed')
    await pass(2000, 250)
    const closed = watch.close()
    await pass(minute, 10_000)
    await closed
    expect(sent).toHaveLength(2)
    await startWatch([], { everyProject: true })
    await pass(5 * minute, 10_000)
    expect(sent.flatMap(({ texts }) => texts).toSorted()).toEqual([
      '✓ payments has recovered',
      '✕ payments is failing',
      '✕ web is failing',
    ])
  })
})

describe('a message that is refused before quiet hours', () => {
  beforeEach(async () => {
    const quiet = { from: '22:00', to: '07:00', timeZone: 'UTC' }
    await startWatch([{ name: 'day', projects: ['*'], quiet }], { everyProject: false })
    await wellBefore()
    await pass(58 * minute, 30_000)
    down.add('day')
    build('payments', 'failed')
    await pass(20_000, 1000)
    down.clear()
  })

  test('is sent in the morning, and its recovery after it', async () => {
    await pass(9.5 * 60 * minute, minute)
    build('payments', 'succeeded')
    await pass(2000, 250)
    expect(sent).toEqual([
      { to: 'day', texts: ['✕ payments is failing'] },
      { to: 'day', texts: ['✓ payments has recovered'] },
    ])
  })

  test('is left out with its recovery if it is over by then', async () => {
    await pass(minute, 1000)
    build('payments', 'succeeded')
    await pass(9.5 * 60 * minute, minute)
    expect(sent).toEqual([])
    const states = (await listDeliveries(database, { limit: 10, receivers })).map(
      ({ state }) => state,
    )
    expect(states).toEqual(['left-out', 'left-out'])
  })

  test('is given up after six tries, and then nobody learns of the recovery', async () => {
    down.add('day')
    await pass(9.5 * 60 * minute, minute)
    expect(await listDeliveries(database, { limit: 10, receivers })).toMatchObject([
      { state: 'failed', attempts: 6 },
    ])
    down.clear()
    build('payments', 'succeeded')
    await pass(minute, 10_000)
    expect(sent).toEqual([])
  })
})

test('a digest that is refused is tried again as one, without what is over by then', async () => {
  await startWatch([{ name: 'digest', projects: ['*'], digestMinutes: 30 }], {
    everyProject: false,
  })
  const projects = ['a', 'b', 'c', 'd']
  for (const project of projects) build(project, 'succeeded')
  await pass(minute, 30_000)
  for (const project of projects) build(project, 'failed')
  down.add('digest')
  await pass(31 * minute, 30_000)
  for (const project of ['a', 'b']) build(project, 'succeeded')
  await pass(10_000, 1000)
  down.clear()
  await pass(40 * minute, 30_000)
  expect(sent).toEqual([{ to: 'digest', texts: ['✕ c is failing', '✕ d is failing'] }])
})

test('what one person was refused is tried again for that person, and the recovery goes to all', async () => {
  await startWatch([{ name: 'mail', projects: ['*'], digestMinutes: 10 }], { everyProject: false })
  await wellBefore()
  refusing.add('mail')
  build('payments', 'failed')
  await pass(11 * minute, 30_000)
  refusing.clear()
  build('web', 'failed')
  await pass(5 * minute, 30_000)
  build('payments', 'succeeded')
  await pass(11 * minute, 30_000)
  expect(sent.slice(0, 2)).toEqual([
    { to: 'mail', texts: ['✕ payments is failing'] },
    { to: 'lead', texts: ['✕ payments is failing'] },
  ])
  expect(sent.slice(2).flatMap(({ to, texts }) => texts.map((text) => `${to}: ${text}`))).toEqual([
    'mail: ✕ web is failing',
    'mail: ✓ payments has recovered',
  ])
})

test('what nobody but one person got is still followed by its recovery', async () => {
  await startWatch([{ name: 'mail', projects: ['*'] }], { everyProject: false })
  await wellBefore()
  refusing.add('mail')
  build('payments', 'failed')
  await pass(2000, 250)
  refusing.clear()
  build('payments', 'succeeded')
  await pass(2 * minute, 10_000)
  expect(sent).toEqual([
    { to: 'mail', texts: ['✕ payments is failing'] },
    { to: 'mail', texts: ['✓ payments has recovered'] },
  ])
})

test('a receiver that limits rates gets everything in its time', async () => {
  const projects = Array.from({ length: 30 }, (_, index) => `project ${index}`)
  await startWatch([{ name: 'limited', projects: ['*'] }], { everyProject: false })
  for (const project of projects) build(project, 'succeeded')
  await pass(minute, 30_000)
  for (const project of projects) build(project, 'failed')
  await pass(90_000, 500)
  expect(new Set(sent.flatMap(({ texts }) => texts)).size).toBe(30)
  expect(sent).toHaveLength(30)
})

test('a digest begins with the first message of a failure, and tells how it stands by then', async () => {
  await startWatch([{ name: 'digest', projects: ['*'], digestMinutes: 10 }], {
    everyProject: false,
    redFor: [0, 6],
  })
  await wellBefore()
  const { receivedAt } = build('payments', 'failed')
  build('web', 'failed')
  await pass(7 * minute, 30_000)
  const said = { reason: 'known', failingSince: receivedAt }
  const act = { ...samplePerson('ann'), at: clock.now() }
  const until = clock.now() + 60 * minute
  await sayOfTile(database, { ...said, tile: 'project:web', kind: 'sleep', until }, act)
  await sayOfTile(database, { ...said, tile: 'project:payments', kind: 'claim', until: null }, act)
  await pass(4 * minute, 30_000)
  expect(sent).toEqual([{ to: 'digest', texts: ['✕ payments is still failing after 10 minutes'] }])
  const all = await listDeliveries(database, { limit: 10, receivers })
  expect(all.map(({ text, state, reason }) => [text.split(' ')[1], state, reason])).toEqual(
    expect.arrayContaining([
      ['payments', 'left-out', 'A later message replaced it.'],
      ['web', 'left-out', 'The tile is asleep.'],
    ]),
  )
  expect(all.find(({ state }) => state === 'sent')?.text).toContain('ann has been on it since')
})

test('of many projects that turn red at once, all are told within seconds', async () => {
  const projects = Array.from({ length: 60 }, (_, index) => `project ${index}`)
  await startWatch([])
  for (const project of projects) build(project, 'succeeded')
  await pass(minute, 30_000)
  for (const project of projects) build(project, 'failed')
  await pass(5000, 100)
  expect(sent).toHaveLength(60)
})

test('a recovery goes to whoever gets the messages now in place of a route that is gone, and the list says of that one why not', async () => {
  const shop = { projects: ['*'] }
  await startWatch(
    [
      { name: 'old', ...shop },
      { name: 'other', projects: ['web'] },
    ],
    {
      everyProject: false,
    },
  )
  await wellBefore()
  answers = [build('payments', 'failed')]
  await pass(1000, 250)
  await watch.close()
  clock.advance(minute)
  answers.unshift({ ...build('payments', 'succeeded'), receivedAt: clock.now() })
  await startWatch(
    [
      { name: 'new', ...shop },
      { name: 'other', projects: ['web'] },
    ],
    {
      everyProject: false,
    },
  )
  build('payments', 'succeeded')
  await pass(62 * minute, minute)
  expect(sent).toEqual([
    { to: 'old', texts: ['✕ payments is failing'] },
    { to: 'new', texts: ['✓ payments has recovered'] },
  ])
  const ofOld = await listDeliveries(database, { limit: 10, receivers })
  expect(ofOld.filter(({ to }) => to === 'route old')).toMatchObject([
    { state: 'left-out', reason: "Its receiver isn't configured any more." },
    { state: 'sent' },
  ])
})

test('what failed while nobody was here is told, though the feed brings it before all is searched for', async () => {
  await startWatch([])
  await wellBefore()
  await watch.close()
  const since = await unnotedSince(database, clock.now())
  clock.advance(10 * minute)
  let answer: () => void = () => undefined
  heldSearch = new Promise((resolve) => {
    answer = resolve
  })
  await startWatch([], { since })
  answers = [build('new', 'failed', clock.now() - 5 * minute)]
  build('web', 'succeeded')
  await pass(1000, 250)
  answer()
  await pass(minute, 10_000)
  expect(sent).toEqual([{ to: 'main', texts: ['✕ new is failing'] }])
})

describe('of a wall that is deleted', () => {
  const shop = [{ name: 'shop', walls: ['shop'], digestMinutes: 10 }]
  const tiles = [{ title: 'Shop window', query: 'project:web', pinned: false }]
  const texts = () => sent.flatMap((one) => one.texts)
  const states = async () =>
    (await listDeliveries(database, { limit: 10, receivers })).map(({ state, reason }) => [
      state,
      reason,
    ])
  async function turn(changed: Wall['tiles'] | undefined): Promise<void> {
    shopTiles = changed
    watch.readWalls()
    await pass(1000, 250)
  }

  test('no failure is told that nobody looks at, and what people said of it stays for who restores it', async () => {
    await startWatch(shop, { everyProject: false })
    await wellBefore()
    const { receivedAt } = build('web', 'failed')
    await pass(1000, 250)
    const said = { tile: 'project:web', kind: 'claim', reason: null, until: null } as const
    const act = { ...samplePerson('ann'), at: clock.now() }
    await sayOfTile(database, { ...said, failingSince: receivedAt }, act)
    await turn(undefined)
    build('web', 'succeeded')
    await pass(12 * minute, 30_000)
    expect(texts()).toEqual([])
    expect(await states()).toEqual([['left-out', 'Its tile is no longer watched.']])
    expect(await claimsOfTile(database, 'project:web')).toHaveLength(1)
    await turn(tiles)
    build('web', 'succeeded')
    await pass(12 * minute, 30_000)
    expect(texts()).toEqual([])
    expect(await claimsOfTile(database, 'project:web')).toEqual([])
  })

  test('a failure is told after all where it is restored in time', async () => {
    await startWatch(shop, { everyProject: false })
    await wellBefore()
    build('web', 'failed')
    await pass(minute, 30_000)
    await turn(undefined)
    await pass(minute, 30_000)
    await turn(tiles)
    await pass(12 * minute, 30_000)
    expect(texts()).toEqual(['✕ Shop window is failing'])
  })

  test('who had the failure gets the recovery once it is restored', async () => {
    await startWatch(shop, { everyProject: false })
    await wellBefore()
    build('web', 'failed')
    await pass(12 * minute, 30_000)
    await turn(undefined)
    build('web', 'succeeded')
    await pass(minute, 30_000)
    await turn(tiles)
    build('web', 'succeeded')
    await pass(12 * minute, 30_000)
    expect(texts()).toEqual(['✕ Shop window is failing', '✓ Shop window has recovered'])
  })

  test('a tile that sleeps goes on until its time where it is restored', async () => {
    await startWatch([{ name: 'shop', walls: ['shop'] }], { everyProject: false, redFor: [0, 30] })
    await wellBefore()
    answers = [build('web', 'failed')]
    await pass(1000, 250)
    const failingSince = answers[0]?.receivedAt
    const until = clock.now() + 60 * minute
    const said = {
      tile: 'project:web',
      kind: 'sleep',
      reason: 'known',
      until,
      failingSince,
    } as const
    await sayOfTile(database, said, { ...samplePerson('ann'), at: clock.now() })
    await turn(undefined)
    await pass(10 * minute, minute)
    await turn(tiles)
    await pass(48 * minute, minute)
    expect(texts()).toEqual(['✕ Shop window is failing'])
    await pass(3 * minute, minute)
    expect(texts().slice(1)).toEqual(['✕ Shop window is still failing after 30 minutes'])
  })

  test('a project is still one of every project', async () => {
    await startWatch([{ name: 'all', digestMinutes: 10 }])
    await wellBefore()
    build('web', 'failed')
    await pass(minute, 30_000)
    await turn(undefined)
    await pass(12 * minute, 30_000)
    expect(sent.filter(({ to }) => to === 'all')).toHaveLength(1)
  })
})

test('a digest that is larger than what its receiver takes is sent in parts', async () => {
  fitting.set('digest', 2)
  await startWatch([{ name: 'digest', projects: ['*'], digestMinutes: 10 }], {
    everyProject: false,
  })
  const projects = ['a', 'b', 'c', 'd', 'e']
  for (const project of projects) build(project, 'succeeded')
  await pass(minute, 30_000)
  for (const project of projects) build(project, 'failed')
  await pass(11 * minute, 30_000)
  expect(sent.map(({ texts }) => texts.length)).toEqual([2, 2, 1])
  expect(new Set(sent.flatMap(({ texts }) => texts)).size).toBe(5)
})

test('what waits for a board that is configured no longer is left out', async () => {
  const message = { spell: 'verdict 1', kind: 'releasable', text: 'Shop is releasable.' }
  await addAlert(database, { ...message, tile: boardTile('shop'), createdAt: start })
  await startWatch([])
  expect(await listDeliveries(database, { limit: 10, receivers })).toMatchObject([
    { to: 'board shop', state: 'left-out', reason: "Its receiver isn't configured any more." },
  ])
})
