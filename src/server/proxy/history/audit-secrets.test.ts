import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { actionsExportPath, actionsPath } from '../../../protocol/audit-log.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { Role } from '../../../protocol/session.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { runs } from '../../../property-runs.test-support.ts'
import { listActions } from '../../store/actions.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import type { PlainAnswer } from '../plain-server.test-support.ts'
import { canary, canaryAccount, startProxyOnSocket } from '../proxy-on-socket.test-support.ts'
import { createScreens } from '../screens/screen-routes.ts'
import { signInAsLocalUser } from '../sessions.ts'
import { createAccessTokens } from '../sign-in/access-tokens.ts'

const start = Date.UTC(2026, 0, 5)
const day = 24 * 60 * 60 * 1000

const secretText = fc.stringMatching(/^[A-Za-z0-9_-]{24,43}$/)
/** What has the shape of a credential is masked wherever it stands. */
const shaped = fc.oneof(
  secretText.map((random) => [`slt_${random}`, random] as const),
  secretText.map((random) => [`screen_0123456789abcdef_${random}`, random] as const),
  secretText.map((random) => [`eyJ${random}.eyJ${random}.${random}`, random] as const),
  secretText.map((random) => [`Bearer ${random}`, random] as const),
  secretText.map((random) => [`https://ann:${random}@host.example`, random] as const),
  fc.constantFrom([canary, canary] as const, [canaryAccount, canaryAccount] as const),
)

/** A request with secrets in all of its fields. `named` stands where names are recorded. */
interface Attempt {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

function attempts(named: string, hidden: string): readonly Attempt[] {
  const part = encodeURIComponent(named)
  const address = `/packages/oci/${part}/${part}`
  const governor = `/upstream/governor${address}`
  const artifact = { sha256: named, repositoryUrl: named, password: hidden, [hidden]: hidden }
  const waiver = {
    packagePath: address,
    sha256: 'ab'.repeat(32),
    scan: named,
    policyUri: `/policies/${named}`,
    reason: named,
    person: named,
    expiresAt: start + 30 * day,
    token: hidden,
  }
  return [
    { method: 'POST', path: `${governor}/policy-scans/${part}`, body: artifact },
    { method: 'POST', path: `${governor}/attestations?key=${hidden}`, body: artifact },
    { method: 'POST', path: `${governor}/attestations`, body: artifact },
    { method: 'POST', path: '/history/waivers', body: waiver },
    { method: 'POST', path: `/history/waivers/${part}/end`, body: { hidden } },
    { method: 'POST', path: '/screens', body: { code: hidden, name: named } },
    { method: 'DELETE', path: `/screens/${part}?why=${hidden}` },
    { method: 'GET', path: `${actionsPath}?scope=all&by=${hidden}` },
    { method: 'POST', path: '/session', body: { token: `slt_${hidden}` } },
    { method: 'POST', path: '/session', body: { token: hidden } },
    { method: 'DELETE', path: `/session?hint=${hidden}` },
    { method: 'GET', path: `/${part}/${hidden}?token=${hidden}` },
  ]
}

/** An upstream that repeats what it was sent, and adds secrets of its own, in each status. */
function echo(secret: () => string): PlainAnswer {
  const counts = { scan: 0, other: 0 }
  const statuses = [200, 201, 400, 403, 500, 302]
  return (request, response) => {
    const kind = request.url.includes('/policy-scans/') ? 'scan' : 'other'
    const status = statuses[counts[kind]++ % statuses.length] ?? 200
    const type = status >= 400 ? 'application/problem+json' : 'application/json'
    response.writeHead(status, { 'content-type': type, 'x-secret': secret(), location: '/x' })
    const { authorization } = request.headers
    const text = `${secret()} ${String(authorization)} ${request.body}`
    const problem = { status, title: text, detail: text, type: secret(), id: text }
    const results = [{ policyUri: `/policies/${text}`, status: 'satisfied', details: problem }]
    response.end(JSON.stringify(status < 400 ? results : problem))
  }
}

test('no secret of a request or of a response is ever in the audit log or in its exports', async () => {
  const database = await memoryDatabase()
  const clock = createManualClock(start)
  const logger = pino({ level: 'silent' })
  const own = { admin: 'slt_ownAdmin0123456789abcdef', viewer: 'slt_ownViewer0123456789abcdef' }
  const users = (['admin', 'viewer'] as const).map((role) => ({
    name: role,
    roles: [role] satisfies Role[],
    tokens: [
      {
        sha256: createHash('sha256').update(own[role]).digest('hex'),
        prefix: own[role].slice(0, 8),
        created: start - day,
        expires: start + 90 * day,
      },
    ],
  }))
  const { verify } = createAccessTokens({ users, database, clock, logger })
  let upstreamSecret = ''
  const answer = echo(() => upstreamSecret)
  const proxy = await startProxyOnSocket(
    { buildData: answer, governor: answer },
    {
      clock,
      history: { database, settings: { keepDays: 365, keepPerScan: 500, longestWaiverDays: 90 } },
      signIn: { ...signInAsLocalUser, verify },
      screens: createScreens({
        database,
        clock,
        logger,
        log: createMemoryLog(clock),
        changes: { publish: () => undefined },
      }),
    },
  )
  const asking = (token: string, { method, path, body }: Attempt, hidden: string) =>
    fetch(`${proxy.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: token,
        cookie: `__Host-sightline=${hidden}; other=${hidden}`,
        'user-agent': hidden,
        'x-forwarded-for': hidden,
        'x-api-key': hidden,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then(
      (response) => response.text(),
      () => '',
    )
  const exported = async (format: string): Promise<string> => {
    const response = await fetch(`${proxy.url}${actionsExportPath}?format=${format}`, {
      headers: { authorization: `Bearer ${own.admin}` },
    })
    expect(response.status).toBe(200)
    return response.text()
  }
  const secrets = new Set<string>([...Object.values(own), canary, canaryAccount])

  let round = 0
  await fc.assert(
    fc.asyncProperty(shaped, secretText, secretText, async ([named, random], hidden, upstream) => {
      upstreamSecret = upstream
      for (const secret of [random, hidden, upstream]) secrets.add(secret)
      const { admin, viewer } = own
      const token = [admin, viewer, admin, `slt_${hidden}`][round++ % 4] ?? ''
      await Promise.all(
        attempts(named, hidden).map((attempt) => asking(`Bearer ${token}`, attempt, hidden)),
      )
      // So that refusals of the next round have rows of their own.
      await expect
        .poll(async () => /^sightline_history_waiting (\d+)$/m.exec(await metrics())?.[1])
        .toBe('0')
      clock.advance(61_000)
    }),
    { numRuns: runs(20) },
  )

  async function metrics(): Promise<string> {
    const response = await fetch(`${proxy.url}/metrics`, {
      headers: { authorization: `Bearer ${own.admin}` },
    })
    return response.text()
  }

  const rows = await listActions(database, {}, 100_000)
  const kinds = new Set(rows.map(({ action, outcome }) => `${action} ${outcome}`))
  for (const kind of [
    'evaluated done',
    'evaluated failed',
    'attestations-published done',
    'waiver-given done',
    'access-refused refused',
    'sign-in-refused refused',
  ]) {
    expect([...kinds]).toContain(kind)
  }
  const refused = rows.filter(({ action }) => action === 'sign-in-refused')
  expect(new Set(refused.map(({ kind }) => kind))).toEqual(new Set(['token']))
  const leaked = rows.filter((row) => {
    const text = JSON.stringify(row)
    return [...secrets].some((secret) => text.includes(secret))
  })
  expect(leaked).toEqual([])
  for (const text of [await exported('csv'), await exported('jsonl')]) {
    for (const secret of secrets) expect(text.includes(secret), secret).toBe(false)
  }
  await proxy.close()
  await database.close()
})
