import { existsSync, readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { startHostileServer } from './hostile-stream-server.ts'
import { evaluateAt, headline, policy } from './scan-page.ts'
import { expect, test } from './sightline.ts'
import { realData } from '../src/real-data.test-support.ts'

/** The recorded bodies of real services, the hostile one among them, by a service that repeats them. */

const folder = realData('policy/')

test.skip(!existsSync(folder), 'the recorded bodies are not here')

const named = `sha256=${'4f'.repeat(32)}&repository=registry.example.com/shop`

declare global {
  interface Window {
    reportViolation: (text: string) => void
  }
}

/** Gathers what the page's security policy stopped, and what was asked of anybody but `origin`. */
async function watch(page: Page, origin: string): Promise<readonly string[]> {
  const found: string[] = []
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) found.push(message.text())
  })
  page.on('dialog', (dialog) => {
    found.push(dialog.message())
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(?:data|blob):/.test(request.url())) {
      found.push(request.url())
    }
  })
  await page.exposeFunction('reportViolation', (text: string) => found.push(text))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      window.reportViolation(`${event.violatedDirective} ${event.blockedURI}`)
    })
  })
  return found
}

for (const [name, type] of [
  ['evaluate-results.json', 'application/json'],
  ['evaluate-results.ndjson', 'application/x-ndjson'],
] as const) {
  test(`${name} is shown whole, its hostile result as nothing but text`, async ({
    page,
    sightline,
  }) => {
    const body = readFileSync(new URL(name, folder))
    const service = await startHostileServer((response, { url }) => {
      if (url.includes('/policy-scans/'))
        response.writeHead(200, { 'content-type': type }).end(body)
      else response.writeHead(404).end()
    })
    const { url } = await sightline({
      SIGHTLINE_EMBEDDED_BUILDS: '0',
      SIGHTLINE_GOVERNOR_URL: service.origin,
    })
    const complaints = await watch(page, url)
    await evaluateAt(page, `${url}/packages/oci/checkout/2.4.0/policy-scans/release?${named}`)
    await expect(headline(page)).toHaveText(
      'Not releasable: 2 of 6 policies unsatisfied, 1 with an unknown status, 1 not applicable.',
    )
    await expect(page.locator('[data-policy-uri]')).toHaveCount(6)
    const repositories = policy(page, 'approved-repositories')
    await expect(repositories.getByText('./gradlew buildEnvironment')).toBeVisible()
    await expect(repositories.getByRole('link', { name: /^https:\/\/jitpack\.io\// })).toBeVisible()
    await expect(policy(page, 'no-known-vulnerable')).toContainText('log4j-core@2.14.1')
    await expect(policy(page, 'supported-build-tools')).toContainText('2 of 2 attestations passed')
    const strange = policy(page, 'new-kind-of-policy')
    await expect(strange).toContainText('deferred (unknown)')
    await expect(strange.getByLabel('Details as JSON')).toContainText('9007199254740993')
    const closed = page.locator('[data-policy-uri]:not([open]) > summary')
    while ((await closed.count()) > 0) await closed.first().click()
    await expect(policy(page, 'release-keys').locator('[data-keyid]')).toHaveCount(1)
    await expect(page.locator('main img, main script, main iframe')).toHaveCount(0)
    const links = await page
      .locator('main a')
      .evaluateAll((all) =>
        all.map((link) => (link instanceof HTMLAnchorElement ? link.protocol : '')),
      )
    expect(links.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([])
    expect(complaints).toEqual([])
    await service.stop()
  })
}

for (const [name, status, sentence] of [
  ['publish-success.json', 200, /^Published: 1 attestation of .* stored\.$/],
  ['publish-status.json', 200, /^Published: 1 attestation of .* stored\.$/],
  ['publish-partial.json', 500, /^Partly published: 1 attestation of .* exists now, 1 rejected\.$/],
] as const) {
  test(`${name} is shown for what it says`, async ({ page, sightline }) => {
    const body = readFileSync(new URL(name, folder))
    const service = await startHostileServer((response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
    const { url } = await sightline({
      SIGHTLINE_EMBEDDED_BUILDS: '0',
      SIGHTLINE_GOVERNOR_URL: service.origin,
    })
    const complaints = await watch(page, url)
    const wanted = `package=pkg%3Aoci%2Fcheckout%402.4.0&builds=k3j7q2m5x7a4c&${named}`
    await page.goto(`${url}/publish?${wanted}`)
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Publish for/ })
      .click()
    await expect(headline(page)).toHaveText(sentence)
    expect(complaints).toEqual([])
    await service.stop()
  })
}
