import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { Session } from '../src/protocol/session.ts'
import { expect, test } from './sightline.ts'

const title = (page: Page, text: string | RegExp) => page.getByRole('banner').getByText(text)

/** A configuration file with walls that are green, red, and now this, now that. */
async function withWalls(run: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-walls-'))
  const file = join(folder, 'sightline.yaml')
  await writeFile(
    file,
    `walls:
  - { name: core, title: Core, tiles: [{ title: Good, query: 'buildOutcome:succeeded' }] }
  - { name: web, title: Web, tiles: [{ title: Fine, query: 'buildOutcome:succeeded tag:CI' }] }
  - { name: now, title: Now, tiles: [{ title: Either, query: 'buildTool:gradle' }] }
  - { name: bad, title: Bad, tiles: [{ title: Broken, query: 'buildOutcome:failed' }] }
`,
  )
  try {
    await run(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('walls take turns, the one of the link among them', async ({ page, sightline }) => {
  await withWalls(async (file) => {
    const { url } = await sightline({ SIGHTLINE_CONFIG: file, SIGHTLINE_EMBEDDED_RATE: '2' })
    await page.goto(
      `${url}/wall/team?tiles=Mine~buildOutcome:succeeded&title=Mine&settings=rotate:core%2Bweb%2Bnowhere,turn:10`,
    )
    await expect(title(page, 'Mine · wall 1 of 3')).toBeVisible()
    await expect(title(page, 'Wall “nowhere” not found in the rotation.')).toBeVisible()
    await expect(title(page, 'Core · wall 2 of 3')).toBeVisible()
    await expect(page.getByRole('article', { name: /^Good: Healthy/ })).toBeVisible()
    await expect(title(page, 'Web · wall 3 of 3')).toBeVisible()
    // While somebody does something with it, it stays.
    await page.keyboard.press('l')
    await expect(page.getByRole('textbox', { name: 'Link to this wall', exact: true })).toHaveValue(
      `${url}/wall/web?tiles=Fine~buildOutcome:succeeded+tag:CI&title=Web&settings=turn:10`,
    )
    await page.keyboard.press('Escape')
    await expect(page.getByRole('article', { name: /^Fine: Healthy/ })).toBeVisible()
    await expect(title(page, 'Mine · wall 1 of 3')).toBeVisible()
  })
})

test('the wall that has something red is shown, and stays', async ({ page, sightline }) => {
  await withWalls(async (file) => {
    const { url } = await sightline({ SIGHTLINE_CONFIG: file, SIGHTLINE_EMBEDDED_RATE: '2' })
    await page.goto(`${url}/wall/core?settings=rotate:web%2Bbad,turn:3600`)
    await expect(title(page, 'Bad · wall 3 of 3, held: something on it is failing')).toBeVisible()
    await expect(page.getByRole('article', { name: /^Broken: Failing/ })).toBeVisible()
    await expect(page).toHaveTitle('1 failing · Bad')
  })
})

test('while a wall is changed by someone, the other tiles stay drawn and keep what they know', async ({
  page,
  url,
}) => {
  const session: unknown = await (await page.request.post(`${url}/session`)).json()
  const { token } = Session.parse(session)
  // One of its own, where the story is told several times.
  const wall = `changed-${test.info().repeatEachIndex}`
  const save = async (base: number, ...titles: string[]): Promise<void> => {
    const tiles = titles.map((name) => ({
      title: name,
      query: `buildOutcome:succeeded -tag:${name}`,
    }))
    const data = { base, wall: { tiles, order: 'failing-first', group: 'none' } }
    const headers = { authorization: `Bearer ${token}` }
    const response = await page.request.post(`${url}/history/walls/${wall}`, { headers, data })
    expect(response.status()).toBe(200)
  }
  await save(0, 'Good')
  await page.goto(`${url}/wall/${wall}`)
  const good = page.getByRole('article', { name: /^Good: Healthy/ })
  await expect(good).toBeVisible()
  // Notes every frame in which the tile that did not change is not drawn as it was.
  await page.evaluate(() => {
    const missing: string[] = []
    Object.assign(window, { missing })
    const look = (): void => {
      const found = document.querySelector('main article[aria-label^="Good: Healthy"]')
      if (found === null) missing.push(document.querySelector('main')?.textContent ?? '')
      requestAnimationFrame(look)
    }
    look()
  })
  await save(1, 'New', 'Good')
  await expect(page.getByRole('main').getByRole('article', { name: /^New: (?!No)/ })).toBeVisible()
  await expect(good).toBeVisible()
  expect(await page.evaluate('window.missing')).toEqual([])
})
