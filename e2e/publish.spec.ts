import type { Page } from '@playwright/test'
import { expectAccessibleWideAndNarrow } from './accessibility.ts'
import { tabTo } from './focus.ts'
import { serviceTest as test } from './hostile-stream-server.ts'
import { expect } from './sightline.ts'

/** Publishing attestations: with the embedded service, and with plain policy services. */

const hex = 'cd'.repeat(32)
const shop = 'registry.acme.example/shop'
const named = `package=pkg%3Aoci%2Fcheckout%409.9.9&sha256=${hex}&repository=${encodeURIComponent(shop)}`
const ndjson = { 'content-type': 'application/x-ndjson' }

const headline = (page: Page) => page.getByRole('heading', { level: 1 })
const attestations = (page: Page) => page.getByRole('list', { name: 'Attestations' })

/** A result as `{status, details}`. */
function line(status: string, predicateType: string, id = 'one'): string {
  const details = { storeName: 'archive', storeType: 's3', predicateType }
  const path = `/packages/oci/checkout/9.9.9/sha256:${hex}/attestations/s3:archive/${id}`
  return `${JSON.stringify({ status, attestationUri: status === 'SUCCESS' ? path : null, details })}\n`
}

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: 'Publish for pkg:oci/checkout@9.9.9' })
    .click()
}

test('two builds of a search are published for a package, and what is stored can be opened', async ({
  page,
  sightline,
}) => {
  const { url, output } = await sightline()
  await page.goto(`${url}/builds?q=buildTool%3Agradle`)
  await expect(page.locator('[data-build-id]').first()).toBeVisible()
  // At its start: there may be a link in it.
  await headline(page).click({ position: { x: 2, y: 8 } })
  const chosen = page.getByRole('group', { name: 'Selected builds' })
  for (const count of ['1 build', '2 builds']) {
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await expect(chosen).toContainText(`${count} selected`)
  }
  await chosen.getByRole('link', { name: 'Publish' }).click()
  await expect(page).toHaveURL(/\/publish\?builds=[a-z0-9]{13}%2C[a-z0-9]{13}$/)
  const [build = ''] = new URL(page.url()).searchParams.get('builds')?.split(',') ?? []
  await expect(page.getByText('Builds: 2 builds selected')).toBeVisible()
  await expect(page.locator('li[data-build-id]').first()).toContainText(/succeeded|failed/)

  await test.step('nothing is sent without a digest', async () => {
    await page.getByRole('textbox', { name: 'Package', exact: true }).fill(`${shop}/checkout:9.9.9`)
    await expect(page.getByLabel('Repository')).toHaveValue(shop)
    await page.getByRole('button', { name: 'Publish…' }).click()
    await expect(page.getByText('Enter the digest: 64 hexadecimal digits.')).toBeVisible()
    await expect(page.getByLabel('SHA-256 digest')).toBeFocused()
    await expect(page.getByRole('dialog')).toBeHidden()
    await page.keyboard.type(hex)
  })

  await test.step('the request is shown, with nothing secret in it', async () => {
    await page.getByText('Request as curl').click()
    const command = page.getByLabel('Request as curl', { exact: true })
    await expect(command).toContainText(
      '"$GOVERNOR_URL"\'/packages/oci/checkout/9.9.9/attestations\'',
    )
    await expect(command).toContainText('Bearer $GOVERNOR_TOKEN')
    await expect(command).toContainText(build)
  })

  await test.step('it needs a confirmation, and the safe answer has the focus', async () => {
    await page.getByRole('button', { name: 'Publish…' }).click()
    const dialog = page.getByRole('dialog', {
      name: 'Publish attestations for pkg:oci/checkout@9.9.9?',
    })
    await expect(dialog).toContainText("can't be undone")
    await expect(dialog).toContainText('2 builds')
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(attestations(page)).toHaveCount(0)
  })

  await publish(page)
  await expect(headline(page)).toHaveText(
    /^Published: \d+ attestations of pkg:oci\/checkout@9\.9\.9 stored\.$/,
  )
  const rows = attestations(page).getByRole('listitem')
  await expect(rows.nth(2)).toBeVisible()
  await expect(rows.first()).toContainText(/stored.*https:\/\//)
  const stored = rows.first().getByRole('link', { name: /^Attestation/ })
  await expect(stored).toHaveAttribute('href', /\/attestations\/(?:af|s3):/)
  await stored.click()
  await expect(page.getByRole('region', { name: 'Verdicts' })).toContainText('valid:')
  await expect(page.getByText(/^checkout 9.9.9 was built by/)).toBeVisible()
  await page.goBack()
  await expect(headline(page)).toHaveText(/^Published/)

  await page.getByRole('link', { name: 'Policy scans of pkg:oci/checkout@9.9.9' }).click()
  await expect(page).toHaveURL(new RegExp(`/packages/oci/checkout/9\\.9\\.9\\?sha256=${hex}`))
  await page.goto(`${url}/builds/${build}`)
  await page.getByRole('link', { name: 'Attestations: pkg:oci/checkout@9.9.9' }).click()
  await expect(page).toHaveURL(/\/packages\/oci\/checkout\/9\.9\.9\?/)
  await page.goto(`${url}/publish`)
  await page.getByRole('button', { name: 'pkg:oci/checkout@9.9.9' }).click()
  await expect(page.getByLabel('SHA-256 digest')).toHaveValue(hex)
  expect(output()).not.toContain('canary')
})

test('pasted ids are marked, and queries count what they match', async ({ page, url }) => {
  await page.goto(`${url}/publish?${named}`)
  await page.getByLabel('Add builds by id').fill('aaaaaaaaaaaa1, nonsense\naaaaaaaaaaaa!')
  await page.getByRole('button', { name: 'Add builds' }).click()
  await expect(page.locator('[data-build-id="nonsense"]')).toContainText(
    'this one has 8 characters',
  )
  await expect(page.locator('[data-build-id="aaaaaaaaaaaa1"]')).toContainText('unknown')
  await page.getByRole('button', { name: 'Publish…' }).click()
  await expect(page.getByRole('alert')).toContainText("2 entries aren't build ids")
  await page.getByRole('button', { name: "Remove the 2 that aren't build ids" }).click()
  await page.getByRole('button', { name: 'Remove aaaaaaaaaaaa1' }).click()

  await page.getByRole('button', { name: 'Add a query' }).click()
  const query = page.getByRole('textbox', { name: 'Query 1' })
  await expect(page.locator('.cm-editor')).toBeVisible()
  await query.click()
  await page.keyboard.type('projct:checkout')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Publish…' }).click()
  await expect(page.getByRole('alert')).toContainText('1 query has errors')
  await query.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('buildTool:gradle')
  await expect(page.getByTestId('query-count')).toHaveText(/^Matches [\d,]+ builds\.$/)
  await page.keyboard.press('Escape')
  await page.getByLabel('Repository').focus()
  await expect(page).toHaveURL(/query=buildTool%3Agradle/)
  await page.reload()
  await expect(page.getByTestId('query-count')).toHaveText(/^Matches [\d,]+ builds\.$/)
  await page.getByRole('button', { name: 'Remove Query 1' }).click()
  await expect(page).not.toHaveURL(/query=/)
})

test('a partial failure says which attestations exist now', async ({ page, service }) => {
  const { url } = await service((response) => {
    const body = {
      title: 'Internal Server Error',
      status: 500,
      detail: 'Failed to publish some attestations, see errors for details',
      successes: [
        {
          storeType: 's3',
          storeUri: 'https://s3.example.com',
          storeResponse: { predicate_type: 'https://gradle.com/attestation/build-tool/v1' },
        },
      ],
      errors: [
        {
          storeType: 'artifactory',
          storeUri: 'javascript:alert(1)',
          storeResponse: { message: 'Forbidden <img src=x onerror=alert(1)>' },
        },
      ],
    }
    response
      .writeHead(500, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify(body))
  })
  await page.goto(`${url}/publish?builds=aaaaaaaaaaaa1&${named}`)
  await publish(page)
  await expect(headline(page)).toHaveText(
    'Partly published: 1 attestation of pkg:oci/checkout@9.9.9 exists now, 1 rejected.',
  )
  const rows = attestations(page).getByRole('listitem')
  await expect(rows.nth(0)).toContainText('stored')
  await expect(rows.nth(0).getByRole('link')).toHaveAttribute('href', 'https://s3.example.com/')
  await expect(rows.nth(1)).toContainText('Store response: Forbidden <img')
  await expect(rows.nth(1).getByRole('link')).toHaveCount(0)
  await expect(page.getByTestId('publish-notice')).toContainText('exist now and remain')
  await expect(page.getByRole('alert').first()).toContainText(
    'the administrator of the policy service',
  )
})

test('an answer of policy results is read as the attestations they name, each a link', async ({
  page,
  service,
}) => {
  const path = `/packages/oci/checkout/9.9.9/sha256:${hex}/attestations/s3:archive`
  const result = (policy: string, status: string, id: string | null) => ({
    labels: { severity: 'high' },
    status,
    policyUri: `/policies/BuildTool/${policy}`,
    policyDescription: 'Described.',
    policyRemediation: '',
    attestationUri: id === null ? null : `${path}/${id}`,
    sourcedFromUri: 'https://builds.example.com/s/aaaaaaaaaaaa1',
    details: {},
  })
  const { url } = await service((response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        JSON.stringify([
          result('tool', 'satisfied', 'tool'),
          result('approved-tool', 'unsatisfied', 'tool'),
          result('jdk', 'satisfied', 'jdk'),
          result('dependencies', 'satisfied', 'dependencies'),
          result('repositories', 'satisfied', 'repositories'),
          result('keys', 'not-applicable', null),
        ]),
      )
  })
  await page.goto(`${url}/publish?builds=aaaaaaaaaaaa1&${named}`)
  await publish(page)
  await expect(headline(page)).toHaveText(
    'Published: 4 attestations of pkg:oci/checkout@9.9.9 stored.',
  )
  const links = attestations(page).getByRole('link', { name: /^Attestation/ })
  await expect(links).toHaveCount(4)
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual(
    ['tool', 'jdk', 'dependencies', 'repositories'].map((id) => `${path}/${id}`),
  )
})

test('results come one by one; a cancel and a cut keep what is stored', async ({
  page,
  service,
}) => {
  let write = (_text: string): void => undefined
  let cut = (): void => undefined
  const { url, quiet, requests } = await service((response) => {
    response.writeHead(200, ndjson)
    write = (text) => response.write(text)
    cut = () => response.destroy()
    write(line('SUCCESS', 'https://t.example/one'))
  })
  await page.goto(`${url}/publish?builds=aaaaaaaaaaaa1&${named}`)
  await publish(page)
  await expect(headline(page)).toHaveText(
    'Publishing for pkg:oci/checkout@9.9.9: 1 attestation stored so far.',
  )
  write(line('SUCCESS', 'https://t.example/two', 'two'))
  await expect(headline(page)).toContainText('2 attestations stored so far')
  await expect(page.getByRole('button', { name: 'Publish…' })).toBeDisabled()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(headline(page)).toHaveText(
    'Canceled: 2 attestations of pkg:oci/checkout@9.9.9 are stored and will remain.',
  )
  await expect(page.getByTestId('publish-notice')).toContainText('Stored attestations remain')
  await quiet()

  await publish(page)
  await expect(headline(page)).toContainText('1 attestation stored so far')
  cut()
  await expect(headline(page)).toHaveText(
    'Incomplete response: 1 attestation of pkg:oci/checkout@9.9.9 is stored for certain.',
  )
  await expect(attestations(page).getByRole('listitem')).toHaveCount(1)
  expect(requests).toHaveLength(2)
})

test('everything works by keyboard, and the focus continues in the right place', async ({
  page,
  service,
}) => {
  const { url } = await service((response) => {
    response.writeHead(200, ndjson).write(line('SUCCESS', 'https://t.example/one'))
  })
  await page.goto(`${url}/publish?builds=aaaaaaaaaaaa1&${named}`)
  await page.getByLabel('Add builds by id').focus()
  await page.keyboard.insertText('aaaaaaaaaaaa2 nonsense aaaaaaaaaaaa1')
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('builds-added')).toHaveText(
    "1 build added, 1 entry isn't a build id, 1 duplicate skipped.",
  )
  await page.getByRole('button', { name: 'Remove nonsense' }).press('Enter')
  await expect(page.getByRole('button', { name: 'Remove aaaaaaaaaaaa2' })).toBeFocused()

  await page.getByRole('button', { name: 'Add a query' }).press('Enter')
  await expect(page.getByRole('textbox', { name: 'Query 1' })).toBeFocused()
  await page.getByRole('button', { name: 'Remove Query 1' }).press('Enter')
  await expect(page.getByRole('button', { name: 'Add a query' })).toBeFocused()

  await page.getByRole('button', { name: 'Publish…' }).press('Enter')
  await expect(page.getByRole('dialog')).not.toContainText('previous publication')
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })).toBeFocused()
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: /^Publish for/ }))
  await page.keyboard.press('Enter')
  await expect(headline(page)).toContainText('1 attestation stored so far')
  await expect(headline(page)).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(headline(page)).toContainText('Canceled: 1 attestation')
  await expect(headline(page)).toBeFocused()

  await page.getByRole('button', { name: 'Publish…' }).press('Enter')
  await expect(page.getByRole('dialog')).toContainText(
    '1 attestation of it was stored by the previous publication',
  )
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Publish…' })).toBeFocused()
  await page.getByRole('button', { name: 'Clear results' }).press('Enter')
  await expect(headline(page)).toBeFocused()
})

test('of five hundred results a few are shown, those refused in any case, and more on request', async ({
  page,
  service,
}) => {
  const { url } = await service((response) => {
    response.writeHead(200, ndjson)
    for (let index = 0; index < 500; index += 1) {
      response.write(
        line(index === 400 ? 'FAILED' : 'SUCCESS', 'https://t.example/one', `i${index}`),
      )
    }
    response.end()
  })
  await page.goto(`${url}/publish?builds=aaaaaaaaaaaa1&${named}`)
  await publish(page)
  await expect(headline(page)).toContainText('499 attestations of pkg:oci/checkout@9.9.9 exist now')
  const rows = attestations(page).getByRole('listitem')
  await expect(rows).toHaveCount(31)
  await expect(rows.last()).toContainText('rejected')
  await page.getByRole('button', { name: 'Show 100 more' }).click()
  await expect(rows).toHaveCount(131)
})

test('a service that is gone did not refuse: what became of the request is unknown', async ({
  page,
  service,
}) => {
  const { url, stop } = await service((response) => response.end())
  await page.goto(`${url}/publish?builds=aaaaaaaaaaaa1&${named}`)
  await stop()
  await publish(page)
  await expect(headline(page)).toHaveText(
    'No response: attestations of pkg:oci/checkout@9.9.9 may or may not have been published.',
  )
  await expect(page.getByRole('alert')).toContainText('refused the connection')
})

test('closing the page while publishing asks first, as what was stored would not be known', async ({
  page,
  service,
}) => {
  const { url } = await service((response) => {
    response.writeHead(200, ndjson).write(line('SUCCESS', 'https://t.example/one'))
  })
  await page.goto(`${url}/publish?builds=aaaaaaaaaaaa1&${named}`)
  await publish(page)
  await expect(headline(page)).toContainText('1 attestation stored so far')
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  await expect(headline(page)).toContainText('1 attestation stored so far')
})

test('an error stands at the field it names, or says who can do what', async ({
  page,
  service,
}) => {
  const problems = [
    [400, 'Invalid request content. Bad criteria (repositoryUrl).'],
    [403, 'Access to this resource is forbidden'],
    [429, 'The service is experiencing too many requests.'],
  ] as const
  const { url, requests } = await service((response, _request, index) => {
    const [status, detail] = problems[index] ?? problems[0]
    response
      .writeHead(status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ type: 'about:blank', title: 'x', status, detail }))
  })
  await page.goto(`${url}/publish?builds=aaaaaaaaaaaa1&${named}`)
  await publish(page)
  await expect(page.getByLabel('Repository')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Repository')).toHaveAccessibleDescription(
    /^Response of the policy service: .*Bad criteria/,
  )
  await expect(page.getByLabel('SHA-256 digest')).not.toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Repository').fill(`${shop}2`)
  await expect(page.getByLabel('Repository')).not.toHaveAttribute('aria-invalid', 'true')
  await publish(page)
  await expect(page.getByRole('alert')).toContainText('ask an administrator of the policy service')
  await publish(page)
  await expect(page.getByRole('alert')).toContainText('Try again in')
  expect(requests).toHaveLength(3)
})

test('publishing is accessible at each step, wide and narrow', async ({ page, service }) => {
  const { url } = await service((response) => {
    response
      .writeHead(200, ndjson)
      .end(line('SUCCESS', 'https://t.example/one') + line('FAILED', 'https://t.example/two'))
  })
  await page.goto(
    `${url}/publish?builds=aaaaaaaaaaaa1%2Cnonsense&query=buildTool%3Agradle&${named}`,
  )
  await expect(page.getByTestId('query-count')).toHaveText(
    'Not counted: no build server is connected. The policy service can still search.',
  )
  await expectAccessibleWideAndNarrow(page)
  await page.getByRole('button', { name: 'Remove nonsense' }).click()
  await page.getByText('Request as curl').click()
  await page.getByRole('button', { name: 'Publish…' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectAccessibleWideAndNarrow(page)
  await page.getByRole('button', { name: 'Publish for pkg:oci/checkout@9.9.9' }).click()
  await expect(headline(page)).toHaveText(/^Partly published/)
  await expectAccessibleWideAndNarrow(page)
})
