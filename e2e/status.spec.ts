import { createServer } from 'node:http'
import { expectAccessible } from './accessibility.ts'
import { freePort, type Loopback, onLoopback } from '../src/free-port.test-support.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

const key = 'canary-status-key'

/** A build server with a clock that is wrong and a user who lacks a permission. */
function startOddServer(): Promise<Loopback> {
  const server = createServer((request, response) => {
    response.sendDate = false
    response.setHeader('date', new Date(Date.now() + 7_200_000).toUTCString())
    const json = { 'content-type': 'application/json' }
    const path = request.url ?? ''
    if (path.startsWith('/build-export/v2/builds/'))
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': beat\n\n')
    else if (path === '/api/version') response.writeHead(200, json).end('{"string":"2025.2.1"}')
    else if (path.startsWith('/api/builds')) response.writeHead(403, json).end('{}')
    else response.writeHead(404).end()
  })
  return onLoopback(server)
}

test('the status page says what works and what to do, and follows a server that goes away', async ({
  page,
  context,
  sightline,
  request,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { url: buildServer, close } = await startOddServer()
  const opsPort = await freePort()
  const product = await sightline({
    ...besideBuildServer(buildServer, key),
    SIGHTLINE_OPS_PORT: String(opsPort),
  })
  await page.goto(`${product.url}/status`)
  const headline = page.getByRole('heading', { level: 1 })
  await expect(headline).toHaveText(
    "The build server's clock is 2 h ahead of this machine's. Synchronize both clocks.",
  )
  const part = page.getByRole('region', { name: 'Build server' })
  for (const text of [
    'Needs attention',
    'The build server denies the permission "Access build data via the API"',
    'Export API: granted',
    'Access build data via the API: missing',
    '2025.2.1',
    "2 h ahead of Sightline's",
    'version 2 (detected)',
  ]) {
    await expect(part.getByText(text).first()).toBeVisible()
  }
  // What a status message said of the last byte is old soon after it.
  await expect(page.getByRole('region', { name: 'Live feed of this browser' })).not.toContainText(
    'Last data',
  )
  await expect(page.getByRole('region', { name: 'Database' })).toContainText('Working')
  await expect(page.getByRole('region', { name: 'Policy service' })).toContainText('Not configured')
  await page.getByRole('button', { name: 'Copy as JSON' }).click()
  await expect(page.getByText('Status copied as JSON')).toBeVisible()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain('"release": "2025.2.1"')
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await expectAccessible(page)
  }
  const ops = `http://127.0.0.1:${opsPort}`
  const up = async (): Promise<string> => (await request.get(`${ops}/metrics`)).text()
  expect(await up()).toContain('sightline_upstream_up{upstream="build server"} 1')

  await close()
  await expect(headline).toContainText(/The build server refused the connection/)
  await expect(part).toContainText('Not working')
  await expect.poll(up).toContain('sightline_upstream_up{upstream="build server"} 0')
  const ready = async () => {
    const response = await request.get(`${ops}/readyz`)
    return [response.status(), await response.text()]
  }
  await expect.poll(ready).toEqual([200, expect.stringContaining('degraded')])

  const shown = copied + (await page.content()) + product.output() + (await up())
  expect(shown).not.toContain(key)
})
