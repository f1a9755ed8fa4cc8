import { serviceTest as test } from './hostile-stream-server.ts'
import { evaluateAt, headline, policy } from './scan-page.ts'
import { expect } from './sightline.ts'

/** The policy scan page with plain services, and with some that do not behave. */

const anyScan = `/packages/oci/app/1.0.0/policy-scans/release?sha256=${'ab'.repeat(32)}&repository=registry.acme.example/shop`

/** One result a line (docs/services.md#policy-result). */
function result(uri: string, status: string, more: Record<string, unknown> = {}): string {
  const text = { policyDescription: 'Described.', policyRemediation: '', details: {} }
  return `${JSON.stringify({ ...text, policyUri: `/policies/${uri}`, status, labels: {}, ...more })}\n`
}

const ndjson = { 'content-type': 'application/x-ndjson' }

test('results appear one by one, and what arrived before a break stays', async ({
  page,
  service,
}) => {
  let write = (_text: string): void => undefined
  let cut = (): void => undefined
  const { url } = await service((response) => {
    response.writeHead(200, ndjson)
    write = (text) => response.write(text)
    cut = () => response.destroy()
    write(result('BuildTool/one', 'satisfied'))
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText('Evaluating: 1 result so far.')
  write(result('PackageUrl/two', 'UNSATISFIED', { details: { vulnerablePackage: 'pkg:npm/x@1' } }))
  await expect(headline(page)).toHaveText(
    'Not releasable: 1 policy already unsatisfied. Evaluating: 2 results so far.',
  )
  write('not a result\n')
  write(result('Quota/three', 'deferred', { details: { odd: { deep: [1] } } }))
  await expect(headline(page)).toContainText('3 results so far')
  cut()
  await expect(page.getByTestId('scan-notice')).toContainText('Incomplete response after 3 results')
  await expect(page.getByTestId('scan-notice')).toContainText(
    "1 part of the response couldn't be read",
  )
  await expect(headline(page)).toHaveText(
    'Not releasable: 1 of 3 policies unsatisfied, 1 with an unknown status.',
  )
  await expect(policy(page, 'three')).toContainText('deferred (unknown)')
  await expect(policy(page, 'three').getByLabel('Details as JSON')).toContainText('"deep"')
})

for (const [status, title] of [
  [500, 'The policy service failed.'],
  [404, 'Policy scan “release” not found.'],
] as const) {
  test(`where the service responds with ${status}, the last recorded run stays, with why there is no newer one`, async ({
    page,
    service,
  }) => {
    let isAway = false
    const { url } = await service((response) => {
      if (isAway) response.writeHead(status).end()
      else response.writeHead(200, ndjson).end(result('BuildTool/one', 'unsatisfied'))
    })
    await evaluateAt(page, `${url}${anyScan}`)
    await expect(headline(page)).toHaveText('Not releasable: 1 of 1 policy unsatisfied.')
    isAway = true
    await page.getByRole('button', { name: 'Evaluate again' }).click()
    await expect(page.getByRole('alert')).toContainText(`${title} The last recorded run is shown.`)
    await expect(headline(page)).toHaveText('Not releasable: 1 of 1 policy unsatisfied.')
    await expect(page.getByTestId('last-run')).toHaveText('by local user')
    isAway = false
    await page.getByRole('button', { name: 'Evaluate again' }).click()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(headline(page)).toHaveText('Not releasable: 1 of 1 policy unsatisfied.')
  })
}

test('a response without a readable result is not said to have none, missing guidance is said to be missing, and a result without a status names its policy', async ({
  page,
  service,
}) => {
  let body = '{}\n'
  const { url } = await service((response) => {
    response.writeHead(200, ndjson).end(body)
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText('Inconclusive: there is no complete response.')
  await expect(page.getByTestId('scan-notice')).toContainText("couldn't be read as results")
  await expect(page.getByText('No results')).toHaveCount(0)
  body = result('BuildTool/one', 'unsatisfied', { policyRemediation: ' \n ' })
  await page.getByTestId('scan-notice').getByRole('button', { name: 'Evaluate again' }).click()
  await expect(headline(page)).toHaveText('Not releasable: 1 of 1 policy unsatisfied.')
  await expect(policy(page, 'one').getByText('Evidence')).toBeVisible()
  await expect(policy(page, 'one').getByText('How to fix')).toHaveCount(0)
  await expect(policy(page, 'one')).toContainText('The policy service gave no guidance.')
  body = `${JSON.stringify({ policyUri: '/policies/Sbom/two' })}\n`
  await page.getByRole('button', { name: 'Evaluate again' }).click()
  await expect(headline(page)).toHaveText(
    'Inconclusive: 0 of 1 policy satisfied, none unsatisfied, 1 with an unknown status.',
  )
  await expect(policy(page, 'two')).toContainText('no status (unknown)')
  await expect(policy(page, 'two')).not.toContainText('gave no guidance')
})

declare global {
  interface Window {
    /** What each painted frame of the scan page said, without repetitions. */
    scanFrames: { readonly headline: string; readonly rows: number; readonly text: string }[]
  }
}

test('while thousands of results come in, each frame has rows for what it counts, and none says there are none', async ({
  page,
  service,
}) => {
  let going = true
  const { url } = await service((response) => {
    response.writeHead(200, ndjson)
    let sent = 0
    const more = (): void => {
      const lines = Array.from({ length: 100 }, (_, index) =>
        result(
          `BuildTool/tools-${(sent + index) % 200}`,
          index % 7 === 0 ? 'unsatisfied' : 'satisfied',
        ),
      )
      sent += 100
      response.write(lines.join(''))
      if (going || sent < 20_000) setTimeout(more, 5)
      else response.end()
    }
    setTimeout(more, 500)
  })
  await page.addInitScript(() => {
    window.scanFrames = []
    const look = (): void => {
      const headline = document.querySelector('h1')?.textContent ?? ''
      const rows = document.querySelectorAll('[data-policy-uri]').length
      const text = document.querySelector('main')?.textContent ?? ''
      const last = window.scanFrames.at(-1)
      if (last?.headline !== headline || last.rows !== rows)
        window.scanFrames.push({ headline, rows, text })
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toContainText(/[\d,]{5,} results so far/)
  const isCounting = (headline: string): boolean => /\d results? so far/.test(headline)
  const said = () => page.evaluate(() => window.scanFrames.map(({ headline }) => headline))
  // However rarely a busy machine draws it: results come until a few frames have counted them.
  await expect.poll(async () => (await said()).filter(isCounting).length).toBeGreaterThan(3)
  going = false
  await expect(headline(page)).toHaveText(/^Not releasable: 30 of 200 policies unsatisfied/)
  const frames = await page.evaluate(() => window.scanFrames)
  const bare = frames.filter(({ headline, rows }) => rows === 0 && !headline.includes(' 0 '))
  expect(bare.filter(({ headline }) => isCounting(headline))).toEqual([])
  expect(frames.filter(({ text }) => text.includes('No results'))).toEqual([])
})

test('an evaluation can be cancelled, and never counts as passed then', async ({
  page,
  service,
}) => {
  const { url, quiet } = await service((response) => {
    response.writeHead(200, ndjson).write(result('BuildTool/one', 'satisfied'))
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText('Evaluating: 1 result so far.')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(headline(page)).toHaveText(/^Inconclusive:/)
  await expect(page.getByTestId('scan-notice')).toContainText('Canceled after 1 result')
  await quiet()
})

test('a busy service is waited for, and its errors say who can do what', async ({
  page,
  service,
}) => {
  let isBusy = true
  const answers = [200, 400, 403, 500]
  const { url } = await service((response) => {
    const status = isBusy ? 429 : (answers.shift() ?? 200)
    if (status === 200) {
      response.writeHead(200, ndjson).end(result('BuildTool/one', 'satisfied'))
      return
    }
    const detail =
      status === 400
        ? 'Invalid request content. Bad criteria (sha256 or repositoryUrl).'
        : 'The reason of the service.'
    response
      .writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '2' })
      .end(JSON.stringify({ type: 'about:blank', title: 'x', status, detail }))
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText(/^The policy service is busy\. Retrying in [12345] s\.$/)
  isBusy = false
  await expect(headline(page)).toHaveText('Releasable: 1 of 1 policy satisfied.')

  await page.getByRole('button', { name: 'Evaluate again' }).click()
  await expect(page.getByText(/^Response of the policy service: .*Bad criteria/)).toHaveCount(2)
  await expect(page.getByLabel('SHA-256 digest')).toHaveAttribute('aria-invalid', 'true')
  await page.getByRole('button', { name: 'Evaluate again' }).click()
  await expect(page.getByRole('alert')).toContainText('ask an administrator of the policy service')
  await page.getByRole('button', { name: 'Evaluate again' }).click()
  await expect(page.getByRole('alert')).toContainText('The reason of the service.')
  await expect(page.getByRole('alert')).toContainText('send the details below')
})

test('the texts of a hostile service are nothing but text', async ({ page, service }) => {
  const complaints: string[] = []
  const outside: string[] = []
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text())
  })
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message())
    void dialog.dismiss()
  })
  const bad =
    '<img src="https://evil.example/a.png" onerror="alert(1)"> ![x](https://evil.example/b.png) [x](javascript:alert(1)) <script>alert(2)</script> [guide](https://wiki.example.com/x)'
  const { url } = await service((response) => {
    response.writeHead(200, ndjson).end(
      result(`PackageUrl/${encodeURIComponent(bad)}`, 'unsatisfied', {
        labels: { [bad]: bad },
        policyDescription: bad,
        policyRemediation: bad,
        attestationUri: 'javascript:alert(3)',
        sourcedFromUri: 'data:text/html,<script>alert(4)</script>',
        details: { uris: ['javascript:alert(5)', 'https://jitpack.io/'] },
      }),
    )
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) {
      outside.push(request.url())
    }
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText(/^Not releasable/)
  const guide = page.getByRole('link', { name: /^guide.*wiki\.example\.com/ })
  await expect(guide).toHaveAttribute('rel', /noopener/)
  const links = await page
    .locator('main a')
    .evaluateAll((all) =>
      all.map((link) => (link instanceof HTMLAnchorElement ? link.protocol : '')),
    )
  expect(links.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([])
  await expect(page.locator('main img, main script, main iframe')).toHaveCount(0)
  expect([complaints, outside]).toEqual([[], []])
})

test('a service that answers with one array is read as it arrives', async ({ page, service }) => {
  let write = (_text: string): void => undefined
  const { url } = await service((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    write = (text) => (text === '' ? response.end() : response.write(text))
    write(`[${result('BuildTool/one', 'satisfied')},`)
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText('Evaluating: 1 result so far.')
  write(`${result('PackageUrl/two', 'unsatisfied')}]`)
  write('')
  await expect(headline(page)).toHaveText('Not releasable: 1 of 2 policies unsatisfied.')
})

test('the one object of the oldest services is read as it arrives', async ({ page, service }) => {
  let write = (_text: string): void => undefined
  let end = (): void => undefined
  const { url } = await service((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    write = (text) => response.write(text)
    end = () => response.end()
    write(
      '{"request":{},"results":[{"storeType":"s3","storeUri":"https://s3.example/1","evaluations":[',
    )
    write(`${result('BuildTool/one', 'SATISFIED')},`)
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText('Evaluating: 1 result so far.')
  write(`${result('PackageUrl/two', 'UNSATISFIED')}, nothing]}]}`)
  end()
  await expect(headline(page)).toHaveText('Not releasable: 1 of 2 policies unsatisfied.')
  await expect(page.getByTestId('scan-notice')).toContainText(
    "1 part of the response couldn't be read",
  )
})

test('a search keeps each character and finds exactly its policies, also while results come in', async ({
  page,
  service,
}) => {
  let write = (_text: string): void => undefined
  let end = (): void => undefined
  /** So many that they cannot be searched in one go. */
  const many = (from: number): string =>
    Array.from({ length: 10_000 }, (_, index) =>
      result(`BuildTool/tools-${(from + index) % 500}`, 'satisfied', {
        labels: { team: index % 2 === 0 ? 'core' : 'shop' },
        details: { message: `evaluation number ${from + index}.` },
      }),
    ).join('')
  const { url } = await service((response) => {
    response.writeHead(200, ndjson)
    write = (text) => response.write(text)
    end = () => response.end()
    write(many(0))
  })
  await evaluateAt(page, `${url}${anyScan}`)
  const rows = page.locator('[data-policy-uri]')
  await expect(headline(page)).toHaveText('Evaluating: 10,000 results so far.')
  const search = page.getByRole('searchbox')
  await search.pressSequentially('number 10123')
  await expect(search).toHaveValue('number 10123')
  await expect(page).toHaveURL(/q=number(?:\+|%20)10123/)
  await expect(page.getByText('0 of 500 policies shown')).toBeVisible()
  await expect(page.getByText('No policies match so far.')).toBeVisible()
  write(many(10_000))
  await expect(rows).toHaveCount(1)
  await expect(policy(page, 'tools-123')).toBeVisible()
  end()
  await expect(headline(page)).toHaveText(/^Releasable/)
  await expect(page.getByText('1 of 500 policies shown')).toBeVisible()

  // What is pressed in a row that a search is about to take away starts from what was typed.
  await search.fill('tools-7')
  await expect(rows).toHaveCount(11)
  await policy(page, 'tools-71').locator('summary').click()
  await search.focus()
  await page.keyboard.type('1 ')
  await policy(page, 'tools-71').getByRole('button', { name: 'team shop' }).click()
  await expect(search).toHaveValue('tools-71 ')
  await expect(page).toHaveURL(/label=team%3Dshop&q=tools-71|q=tools-71.*label=team%3Dshop/)
  await expect(rows).toHaveCount(1)
  await page.goBack()
  await expect(page).not.toHaveURL(/label=/)
  await expect(search).toHaveValue('tools-71 ')
})

test('of many attestations, those that are searched for stand first', async ({ page, service }) => {
  const { url } = await service((response) => {
    response.writeHead(200, ndjson)
    for (let number = 0; number < 60; number++) {
      const details = { uris: [`https://repo-${number}.example/`] }
      response.write(result('Repositories/approved', 'unsatisfied', { details }))
    }
    response.end()
  })
  await evaluateAt(page, `${url}${anyScan}`)
  const evidence = (name: string) => policy(page, 'approved').getByRole('link', { name })
  await expect(evidence('repo-0.example')).toBeVisible()
  await expect(evidence('repo-47.example')).toHaveCount(0)
  await page.getByRole('searchbox').fill('repo-47')
  await expect(evidence('repo-47.example')).toBeVisible()
  await page.getByRole('searchbox').fill('')
  await expect(evidence('repo-0.example')).toBeVisible()
  await expect(evidence('repo-47.example')).toHaveCount(0)
})

test('a printed scan says when it was made, and what is missing', async ({ page, service }) => {
  const { url } = await service((response) => {
    response.writeHead(200, ndjson).end(result('BuildTool/one', 'unsatisfied').repeat(513))
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText(/^Not releasable/)
  const missing = page.getByText('Not printed: 13 more results of this policy.')
  await expect(missing).toBeHidden()
  await page.emulateMedia({ media: 'print' })
  await expect(missing).toBeVisible()
  await expect(page.getByRole('link', { name: 'History' })).toBeHidden()
  await expect(page.locator('main time').first()).toHaveText(/^\S.*\d{4}, \d\d:\d\d:\d\d \S+$/, {
    useInnerText: true,
  })
})
