import { expect, test } from '@playwright/test'
import { missingPrograms, type Person, startBehindNginx } from './behind-nginx.ts'

const missing = await missingPrograms()

/** A token has 256 random bits after its prefix. */
const vera: Person = { name: 'vera', role: 'viewer', token: `slt_${'v'.repeat(43)}` }

test.describe(missing ?? 'behind nginx', () => {
  test.skip(missing !== undefined, missing)

  test('two that were started at once on an empty database serve one feed, which a restart of one does not interrupt', async ({
    page,
    request,
  }) => {
    const { processes, url, stop } = await startBehindNginx({
      count: 2,
      people: [vera],
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
