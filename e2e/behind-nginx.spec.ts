import { expect, test } from '@playwright/test'
import { missingPrograms, startBehindNginx } from './behind-nginx.ts'
import { person, signedIn } from './people.ts'
import { headline } from './scan-page.ts'

const missing = await missingPrograms()

/** A token has 256 random bits after its prefix. */
const vera = person('vera', 'viewer')
const ann = person('ann', 'releaser')
const bo = person('bo', 'releaser')

test.describe(missing ?? 'behind nginx', () => {
  test.skip(missing !== undefined, missing)

  test('two that were started at once on an empty database serve one feed and one board, which a restart of one does not interrupt', async ({
    browser,
    page,
    request,
  }) => {
    test.slow()
    const { processes, url, stop } = await startBehindNginx({
      count: 2,
      people: [vera, ann, bo],
      settings: {
        SIGHTLINE_EMBEDDED_BUILDS: '200',
        SIGHTLINE_EMBEDDED_RATE: '5',
        SIGHTLINE_SHUTDOWN_DELAY: '1',
      },
    })
    try {
      const authorization = `Bearer ${vera.token}`
      const both = await Promise.all(
        processes.map(async (one) => {
          const config = await request.get(`${one.url}/config`, { headers: { authorization } })
          const builds = await request.get(
            `${one.url}/upstream/build-data/api/builds?since=0&maxBuilds=100`,
            { headers: { authorization } },
          )
          expect([config.status(), builds.status()]).toEqual([200, 200])
          return { config: await config.text(), builds: await builds.text() }
        }),
      )
      expect(both[1]).toEqual(both[0])

      await test.step('what one evaluates and decides at one process arrives at the other of another', async () => {
        const [first, second] = processes.map((one) => `${one.url}/board/release`)
        const hers = await signedIn(browser, first ?? '', ann)
        const his = await signedIn(browser, second ?? '', bo)
        const evaluated: string[] = []
        his.on('request', (one) => {
          if (/\/upstream\/(board|governor)/.test(one.url())) evaluated.push(one.url())
        })
        await expect(headline(his)).toHaveText('None of 12 packages has been evaluated yet.')
        await hers.getByRole('button', { name: /^Evaluate all/ }).click()
        await expect(hers.getByRole('button', { name: 'Evaluate all again' })).toBeVisible({
          timeout: 90_000,
        })
        await expect(headline(hers)).toHaveText(/^6 of 12 packages can't be released: /)
        await expect(headline(his)).toHaveText((await headline(hers).textContent()) ?? '')
        await his.getByRole('button', { name: 'Release…' }).click()
        const dialog = his.getByRole('dialog')
        await dialog.getByLabel('Reason').fill('The window closes tonight')
        await dialog.getByLabel('I have read this').check()
        await dialog.getByRole('button', { name: 'Release anyway' }).click()
        await expect(hers.getByRole('region', { name: 'Release decision' })).toContainText(
          /^Released by bo on \d+ runs of .*: The window closes/,
        )
        await his.reload()
        await expect(headline(his)).toHaveText(/^6 of 12 packages can't be released: /)
        expect(evaluated).toEqual([])
        await hers.context().close()
        await his.context().close()
      })

      await page.goto(url)
      const dialog = page.getByRole('dialog', { name: 'Sign in' })
      await dialog.getByLabel('Access token', { exact: true }).fill(vera.token)
      await page.keyboard.press('Enter')
      await expect(dialog).toBeHidden()
      await expect(page.getByText(/^Live/).first()).toBeVisible()

      // Every state of the connection that anybody could see, and the builds as they come.
      await page.evaluate(() => {
        const seen = new Set<string>()
        const look = (): void => {
          for (const node of document.querySelectorAll(
            '[role=alert], [role=status], [data-tone]',
          )) {
            seen.add(`${node.getAttribute('role') ?? ''} ${node.textContent}`.trim())
          }
          document.body.dataset.seen = [...seen].join()
        }
        new MutationObserver(look).observe(document.body, {
          subtree: true,
          childList: true,
          characterData: true,
        })
      })
      for (const one of processes) {
        const restarting = one.end()
        await expect
          .poll(async () => (await fetch(`${one.opsUrl}/readyz`).catch(() => undefined))?.status)
          .not.toBe(200)
        expect(await restarting).toBe(0)
        await one.start()
        await expect(page.getByText(/^Live/).first()).toBeVisible()
      }
      const states = await page.locator('body').getAttribute('data-seen')
      expect(states).toContain('Live')
      expect(states).not.toMatch(/connecting|closed|retrying|error|lost|failed to/i)
      await page.reload()
      await expect(dialog).toBeHidden()
      await expect(page.getByText(/^Live/).first()).toBeVisible()
    } finally {
      await stop()
    }
  })
})
