import { createServer, request as ask, type ServerResponse } from 'node:http'
import { type PlainBuild, startPlainUpstream } from './plain-upstream.ts'
import { expect, test } from './sightline.ts'

const key = 'canary-truth-key'

/** What stands between Sightline and its build server, and what it does to each request. */
type Mode = 'passed on' | 'refused' | 'frozen' | 'a page in HTML' | 'wrong key'

/** A front that can fail in each of these ways; changing it ends what is open, but for a freeze. */
async function startFront(upstream: string) {
  let mode: Mode = 'passed on'
  let changedAt = Date.now()
  const open = new Set<ServerResponse>()
  const server = createServer((incoming, response) => {
    open.add(response)
    response.on('close', () => open.delete(response))
    if (mode === 'refused') return void incoming.socket.destroy()
    if (mode === 'frozen') return
    if (mode === 'wrong key') return void response.writeHead(401).end()
    if (mode === 'a page in HTML') {
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>')
    }
    const { method, headers, url = '/' } = incoming
    const passed = ask(new URL(url, upstream), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.on('data', (bytes: Buffer) => {
        if (mode !== 'frozen') response.write(bytes)
      })
      answer.on('end', () => response.end())
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    mode: () => ({ mode, forMs: Date.now() - changedAt }),
    become: (next: Mode) => {
      mode = next
      changedAt = Date.now()
      if (next !== 'frozen') for (const response of open) response.destroy()
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let count = 0

function build(failed: boolean): PlainBuild {
  count += 1
  const timestamp = Date.now()
  return {
    buildId: `truth${String(count).padStart(8, '0')}`,
    timestamp,
    toolType: 'gradle',
    toolVersion: '9.2',
    agentVersion: '4.1',
    events: [['BuildFinished', timestamp, { failureId: failed ? 1 : null, failure: null }]],
  }
}

/** What a page says at one moment. */
interface Said {
  readonly path: string
  readonly headline: string
  readonly connection: string
  readonly text: string
}

declare global {
  interface Window {
    say?: (said: Said) => Promise<void>
  }
}

/** How long a lost server may still be called live, ms: it sends heartbeats each second. */
const seenWithinMs = 12_000

/** What is untrue in it; `mode` has held for so long, and the newest build came so long ago, ms. */
function untruths(said: Said, { mode, forMs }: { mode: Mode; forMs: number }, quietMs: number) {
  const { headline, connection, text } = said
  const isLost = mode !== 'passed on' && forMs > seenWithinMs
  const claims: readonly (readonly [boolean, string])[] = [
    [isLost && connection.startsWith('Connection: Live'), 'live, while the server is lost'],
    [isLost && headline.includes('in the last minute'), 'a count of now, while the server is lost'],
    [/No builds yet|Run a build that/.test(text), 'no builds, while there are some'],
    [quietMs < 50_000 && text.includes('No builds in the last minute'), 'none in the last minute'],
    [
      /\b0 failed\b/.test(text) && /\b0 succeeded\b/.test(text) && /\b0 unknown\b/.test(text),
      'zeros',
    ],
    [/\b0 builds\b/.test(text), 'zero builds'],
    [/No results\b/.test(text), 'no results before the end'],
    [/\bundefined\b|\bNaN\b|\.\.(?!\.)/.test(`${headline} ${connection}`), 'a broken sentence'],
  ]
  return claims.flatMap(([is, what]) => (is ? [what] : []))
}

test('headline, connection words and counts are true at every moment, through load, outages, reloads and recovery', async ({
  page,
  sightline,
}) => {
  test.setTimeout(420_000)
  const upstream = await startPlainUpstream(key)
  const front = await startFront(upstream.url)
  const { url } = await sightline({
    SIGHTLINE_BUILD_DATA_URL: front.url,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  let newestAt = 0
  const push = (): void => {
    upstream.push(build(count % 4 === 0))
    newestAt = Date.now()
  }
  const found: string[] = []
  let looks = 0
  await page.exposeFunction('say', (said: Said) => {
    const state = front.mode()
    looks++
    for (const what of untruths(said, state, Date.now() - newestAt)) {
      const { path, headline, connection } = said
      found.push(
        `${what} on ${path}, ${state.mode} for ${state.forMs} ms: ${headline} | ${connection}`,
      )
    }
  })
  // Twenty times a second, from the first paint on.
  await page.addInitScript(() => {
    setInterval(() => {
      void window.say?.({
        path: location.pathname,
        headline: document.querySelector('h1')?.textContent ?? '',
        connection:
          document.querySelector('[data-testid="connection-state"]')?.getAttribute('aria-label') ??
          '',
        text: document.documentElement.innerText,
      })
    }, 50)
  })
  const connection = page.getByTestId('connection-state')

  await page.goto(`${url}/status`)
  await upstream.heard()
  for (let at = 0; at < 8; at++) push()
  for (const path of [
    '/',
    '/builds',
    '/packages',
    '/board',
    '/activity',
    '/decode',
    '/status',
    '/wall',
  ]) {
    await page.goto(`${url}${path}`)
    await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('')
  }
  for (const mode of ['refused', 'a page in HTML', 'wrong key', 'frozen'] as const) {
    await test.step(mode, async () => {
      await page.goto(url)
      await expect(page.locator('[data-build-id]').first()).toBeVisible()
      await expect(connection).toHaveAccessibleName(/^Connection: Live/, { timeout: 30_000 })
      front.become(mode)
      await expect(connection).not.toHaveAccessibleName(/^Connection: Live/, {
        timeout: seenWithinMs,
      })
      for (const path of ['/status', '/builds', '/wall', '/']) await page.goto(`${url}${path}`)
      await expect(page.locator('[data-build-id]').first()).toBeVisible()
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Not up to date')
      front.become('passed on')
      await expect(connection).toHaveAccessibleName(/^Connection: Live/, { timeout: 60_000 })
      push()
    })
  }
  expect([...new Set(found)].slice(0, 10)).toEqual([])
  expect(looks).toBeGreaterThan(200)
  await front.close()
  await upstream.close()
})
