import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { actionsExportPath, ActionList, actionsPath } from '../../../protocol/audit-log.ts'
import type { Role } from '../../../protocol/session.ts'
import { addAction, listActions, type NewAction } from '../../store/actions.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { samplePackage, samplePerson } from '../../store/sample-history.test-support.ts'
import { problemOf } from '../proxy-on-socket.test-support.ts'
import { type HistoryServer, historyServer } from './history-server.test-support.ts'

const start = Date.UTC(2026, 0, 5)

function add(proxy: HistoryServer, ms: number, change: Partial<NewAction> = {}): Promise<void> {
  return addAction(proxy.database.kysely, {
    ...samplePerson(),
    at: start - 1000 + ms,
    action: 'waiver-given',
    subject: samplePackage,
    detail: `after ${ms} ms`,
    ...change,
  })
}

/** One shared action among others, seen by somebody of these roles. */
async function logSeenBy(roles: Role[]): Promise<HistoryServer> {
  const proxy = await historyServer(undefined, { roles })
  const token = { actor: { kind: 'token', name: 'ci' }, from: '198.51.100.1' } as const
  await add(proxy, 1, { action: 'signed-in', subject: 'session' })
  await add(proxy, 2)
  await add(proxy, 3, { ...token, action: 'access-refused', outcome: 'refused', subject: 'GET /x' })
  return proxy
}

async function list(proxy: HistoryServer, query = ''): Promise<ActionList> {
  const response = await proxy.ask(`${actionsPath}?${query}`)
  expect(response.status).toBe(200)
  return ActionList.parse(await response.json())
}

describe('who reads which actions', () => {
  test.each<Role>(['viewer', 'releaser', 'admin'])(
    'a %s reads what was decided, without address and session',
    async (role) => {
      const proxy = await logSeenBy([role])
      const { actions, scope } = await list(proxy)
      expect(scope).toBe('shared')
      expect(actions).toMatchObject([
        { action: 'waiver-given', by: 'ada', from: null, session: null },
      ])
      expect((await list(proxy, 'action=waiver-given&by=ada')).actions).toHaveLength(1)
    },
  )

  test('an admin reads the whole audit log', async () => {
    const proxy = await logSeenBy(['admin'])
    const { actions, scope } = await list(proxy, 'scope=all')
    expect(scope).toBe('all')
    expect(actions).toMatchObject([
      { kind: 'token', by: 'ci', outcome: 'refused', from: '198.51.100.1', session: null },
      { action: 'waiver-given', from: '192.0.2.7', session: 's1' },
      { action: 'signed-in' },
    ])
  })

  test.each([
    `${actionsPath}?scope=all`,
    actionsExportPath,
    `${actionsExportPath}?format=jsonl&action=waiver-given`,
  ])('nobody else is given %s, and the refusal says who may', async (path) => {
    for (const role of ['viewer', 'releaser'] as const) {
      const proxy = await logSeenBy([role])
      const response = await proxy.ask(path)
      expect(response.status).toBe(403)
      expect((await problemOf(response)).detail).toContain('Requires the role admin.')
    }
  })

  test('what is not shared cannot be reached by a filter', async () => {
    const proxy = await logSeenBy(['viewer'])
    const response = await proxy.ask(`${actionsPath}?action=signed-in`)
    expect(response.status).toBe(400)
    for (const query of ['outcome=refused', 'kind=token', 'by=ci', 'subject=session']) {
      expect((await list(proxy, query)).actions).toEqual([])
    }
  })
})

describe('the filters of the audit log', () => {
  test.each<[string, number[]]>([
    ['kind=token', [3]],
    ['kind=person', [2, 1]],
    ['by=ada', [2, 1]],
    ['action=signed-in', [1]],
    ['outcome=refused', [3]],
    ['outcome=done&by=ada&action=waiver-given', [2]],
    [`subject=${encodeURIComponent('GET /x')}`, [3]],
    [`from=${start - 998}`, [3, 2]],
    [`from=${start - 999}&until=${start - 997}`, [2, 1]],
    ['limit=2', [3, 2]],
  ])('%s', async (query, expected) => {
    const proxy = await logSeenBy(['admin'])
    const { actions } = await list(proxy, `scope=all&${query}`)
    expect(actions.map(({ at }) => at - start + 1000)).toEqual(expected)
  })

  test.each([
    ['kind=robot', '"kind" must be one of: person, token, screen, system.'],
    ['scope=all&action=dance', '"action" must be one of: signed-in,'],
    ['outcome=maybe', '"outcome" must be one of: done, refused, failed.'],
    ['from=yesterday', '"from" must be a time in milliseconds since 1970.'],
    ['until=99999999999999999', '"until" must be'],
    ['scope=mine', '"scope" must be one of: shared, all.'],
    ['who=me', 'Unknown query parameter "who"'],
    ['by=a&by=b', '"by" may be given only once'],
  ])('refuse %s in plain words', async (query, words) => {
    const proxy = await logSeenBy(['admin'])
    const response = await proxy.ask(`${actionsPath}?${query}`)
    expect(response.status).toBe(400)
    expect((await problemOf(response)).detail).toContain(words)
  })
})

describe('the export of the audit log', () => {
  test('has all pages, in the order of the list, and is audited itself', async () => {
    const proxy = await historyServer(undefined, { roles: ['admin'] })
    await proxy.database.kysely.transaction().execute(async (kysely) => {
      for (let n = 0; n < 1203; n += 1) {
        await addAction(kysely, {
          ...samplePerson(),
          at: start - 5000 + n,
          action: 'evaluated',
          subject: 's',
          detail: `no ${n}`,
        })
      }
    })
    const response = await proxy.ask(`${actionsExportPath}?format=jsonl&action=evaluated`)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="audit-log.jsonl"',
    )
    expect(response.headers.get('sightline-rows')).toBe('1203')
    const lines = (await response.text()).trimEnd().split('\n')
    const Row = z.object({ at: z.string(), detail: z.string(), from: z.string() })
    const rows = lines.map((line) => Row.parse(JSON.parse(line)))
    expect(rows.map(({ detail }) => detail)).toEqual(
      Array.from({ length: 1203 }, (_, n) => `no ${1202 - n}`),
    )
    expect(rows[0]).toEqual({
      at: '2026-01-04T23:59:56.202Z',
      detail: 'no 1202',
      from: '192.0.2.7',
    })
    await expect
      .poll(() => listActions(proxy.database, { actions: ['audit-log-exported'] }, 9))
      .toMatchObject([{ by: 'ada', detail: 'Exported 1203 actions as jsonl.' }])
  })

  test('as CSV has a heading, and no text in it is run by a spreadsheet', async () => {
    const proxy = await historyServer(undefined, { roles: ['admin'] })
    const formula = '=HYPERLINK("https://evil.example","open")'
    await add(proxy, 1, { ...samplePerson('+1+cmd'), subject: '@SUM(A1)', detail: formula })
    const response = await proxy.ask(`${actionsExportPath}?format=csv`)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [heading, row] = Buffer.from(await response.arrayBuffer())
      .toString('utf8')
      .split('\r\n')
    expect(heading).toMatch(/^\uFEFFTime \(UTC\),Last time \(UTC\),Times,Actor kind,Actor,/)
    expect(row).toContain(
      `2026-01-04T23:59:59.001Z,,1,person,'+1+cmd,waiver-given,done,'@SUM(A1),"'=HYPERLINK(""https://evil.example"",""open"")",192.0.2.7,s1,`,
    )
  })

  test('of nothing is a heading, or nothing at all', async () => {
    const proxy = await historyServer(undefined, { roles: ['admin'] })
    const text = async (format: string) =>
      (await proxy.ask(`${actionsExportPath}?format=${format}&by=nobody`)).text()
    expect((await text('csv')).trim().split('\n')).toHaveLength(1)
    expect(await text('jsonl')).toBe('')
  })

  test('breaks off where it cannot be finished, so that nobody takes a part for all of it', async () => {
    const database = await memoryDatabase()
    const proxy = await historyServer(undefined, { roles: ['admin'], database })
    await database.kysely.transaction().execute(async (kysely) => {
      for (let n = 0; n < 20_000; n += 1) {
        await addAction(kysely, {
          ...samplePerson(),
          at: start - 50_000 + n,
          action: 'evaluated',
          subject: 'x'.repeat(500),
          detail: 'y'.repeat(500),
        })
      }
    })
    const response = await proxy.ask(`${actionsExportPath}?format=jsonl`)
    const reader = response.body?.getReader()
    await reader?.read()
    await database.close()
    const rest = async (): Promise<void> => {
      while ((await reader?.read())?.done === false);
    }
    await expect(rest()).rejects.toThrow()
  })
})
