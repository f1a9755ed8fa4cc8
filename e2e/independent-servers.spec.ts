import { type IndependentServers, startIndependentServers } from './independent-servers.ts'
import { besideBuildServer, expect, type Sightline, test as base } from './sightline.ts'

/** The product at servers that know nothing of it: written from the specifications alone. */

const count = 137
const test = base.extend<{ servers: IndependentServers; product: Sightline }>({
  servers: async ({}, use) => {
    const servers = await startIndependentServers(count)
    await use(servers)
    await servers.stop()
  },
  product: async ({ servers, sightline }, use) => {
    await use(
      await sightline({
        ...besideBuildServer(servers.buildServer, servers.key),
        SIGHTLINE_GOVERNOR_URL: servers.policyService,
        SIGHTLINE_GOVERNOR_BASIC: servers.account,
      }),
    )
  },
})

const hex = 'cd'.repeat(32)

test('every build of a server that has version 1 only is shown once, though its history is cut again and again', async ({
  page,
  product,
  servers,
}) => {
  await page.goto(product.url)
  const rows = page.locator('[data-build-id]')
  await expect(rows.first()).toBeVisible()
  const newest = servers.ids.at(-1) ?? ''
  await expect(page.locator(`[data-build-id="${newest}"]`)).toHaveCount(1)

  const session = await (await page.request.post(`${product.url}/session`)).text()
  const [, token = ''] = /"token":"([^"]+)"/.exec(session) ?? []
  const feed = await fetch(`${product.url}/live/builds?since=0`, {
    headers: { authorization: `Bearer ${token}` },
  })
  let text = ''
  const reader = feed.body?.pipeThrough(new TextDecoderStream()).getReader()
  while (!text.includes('"backlog":0') && reader !== undefined)
    text += (await reader.read()).value ?? ''
  await reader?.cancel()
  const ids = [...text.matchAll(/^id: (Build_\d+)\nevent: Build$/gm)].map(([, id]) => id)
  expect(ids).toEqual(servers.ids)
  expect(text).not.toContain('event: Gap')

  await test.step('and what was odd about it is on the status page', async () => {
    await page.goto(`${product.url}/status`)
    await expect(page.getByText('version 1, which has Gradle builds only (detected)')).toBeVisible()
    await expect(page.getByRole('link', { name: 'docs.example.com' }).first()).toBeVisible()
    await expect(page.getByText('Dec 31, 2026').first()).toBeVisible()
    const lost = page.getByRole('row', { name: /agentVersion/ }).first()
    await expect(lost).toContainText('is null, not a text')
    await expect(page.getByRole('row', { name: /tags\[1\]/ }).first()).toContainText('Build_')
  })

  const shown = text + (await page.content()) + product.output()
  expect(shown).not.toContain(servers.key)
})

test('a publication is understood in each of the four shapes of its answer', async ({
  page,
  product,
  servers,
}) => {
  const shapes = [
    ['array', /^Published: 2 attestations of pkg:oci\/array@1 stored\.$/],
    ['object', /^Published/],
    ['successes', /^Published: 1 attestation of pkg:oci\/successes@1 stored\.$/],
    ['partly', /1 attestation/],
  ] as const
  for (const [name, said] of shapes) {
    await page.goto(
      `${product.url}/publish?builds=${servers.ids[0] ?? ''}&package=pkg%3Aoci%2F${name}%401&sha256=${hex}&repository=registry.example%2Fshop`,
    )
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Publish for pkg:oci/${name}@1` })
      .click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(said)
  }
  const sent = () => servers.seen.filter(({ target }) => target.endsWith('/attestations'))
  await expect.poll(sent).toHaveLength(shapes.length)
})

test('an encoded slash reaches the service as it is, and no details hide a policy', async ({
  page,
  product,
  servers,
}) => {
  await page.goto(
    `${product.url}/packages/oci/app/1/policy-scans/team%2Frelease?sha256=${hex}&repository=registry.example%2Fshop`,
  )
  await page.getByRole('button', { name: 'Evaluate' }).first().click()
  for (const policy of ['listed', 'worded', 'echoed']) {
    await expect(page.getByText(policy, { exact: true }).first()).toBeVisible()
  }
  expect(servers.seen.map(({ target }) => target)).toContain(
    '/packages/oci/app/1/policy-scans/team%2Frelease',
  )
  const [, password = ''] = servers.account.split(':')
  expect((await page.content()) + product.output()).not.toContain(password)
})
