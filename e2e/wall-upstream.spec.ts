import type { Page } from '@playwright/test'
import { type PlainBuild, startPlainUpstream } from './plain-upstream.ts'
import { expect, test } from './sightline.ts'

const key = 'wall-upstream-key'

let count = 0

/** `origin`: branch and commit, as the common plug-ins name them; without it nothing names them. */
function build(project: string, failed: boolean, origin?: readonly [string, string]): PlainBuild {
  count += 1
  const timestamp = Date.now()
  return {
    buildId: `plain${String(count).padStart(8, '0')}`,
    timestamp,
    toolType: 'gradle',
    toolVersion: '9.2',
    agentVersion: '4.1',
    events: [
      ['BuildStarted', timestamp - 72_000, {}],
      ['BuildAgent', timestamp - 72_000, { username: 'alice', publicHostname: 'agent-12' }],
      [
        'ProjectStructure',
        timestamp - 71_000,
        { rootProjectName: project, projects: [{ projectPath: ':', buildPath: ':' }] },
      ],
      ...(origin === undefined
        ? []
        : ([
            ['UserTag', timestamp - 70_000, { tag: 'CI' }],
            ['UserNamedValue', timestamp - 70_000, { key: 'Git branch', value: origin[0] }],
            ['UserNamedValue', timestamp - 70_000, { key: 'Git commit id', value: origin[1] }],
          ] as const)),
      ['BuildFinished', timestamp, { failureId: failed ? 1 : null, failure: null }],
    ],
  }
}

const tile = (page: Page, name: RegExp) => page.getByRole('article', { name })

/** Every colour in which something of the wall is drawn. */
function colours(page: Page): Promise<string[]> {
  return page.evaluate(() => [
    ...new Set(
      [...document.querySelectorAll('main, main *')].flatMap((part) => {
        const { color, fill, stroke, backgroundColor, borderLeftColor } = getComputedStyle(part)
        return [color, fill, stroke, backgroundColor, borderLeftColor]
      }),
    ),
  ])
}

const colourOf = (page: Page, text: string): Promise<string> =>
  page
    .getByRole('article')
    .getByText(text, { exact: true })
    .first()
    .evaluate((word) => getComputedStyle(word).color)

test('a wall says that the build server is silent, shows nothing as present, and is whole again by itself', async ({
  page,
  sightline,
}) => {
  test.setTimeout(240_000)
  const first = await startPlainUpstream(key)
  const port = Number(new URL(first.url).port)
  const { url } = await sightline({
    SIGHTLINE_BUILD_DATA_URL: first.url,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  await page.goto(`${url}/wall`)
  await expect(page.getByText('No builds yet.')).toBeVisible()
  await first.heard()
  const builds = [build('core', false), build('web', true)]
  for (const one of builds) first.push(one)
  await expect(tile(page, /^core: Healthy, /)).toBeVisible()
  await expect(tile(page, /^web: Failing, /)).toBeVisible()
  await expect(page).toHaveTitle(/^1 failing/)
  const present = [await colourOf(page, 'Healthy'), await colourOf(page, 'Failing')]
  expect(await colours(page)).toEqual(expect.arrayContaining(present))

  const killedAt = Date.now()
  await first.close()
  await expect(
    page.getByRole('heading', {
      level: 1,
      name: /^No data from the build server since \d\d:\d\d\.$/,
    }),
  ).toBeVisible({ timeout: 45_000 })
  const saidAfter = Date.now() - killedAt
  await expect(tile(page, /^core: Was healthy, /)).toBeVisible()
  await expect(tile(page, /^web: Was failing, /)).toBeVisible()
  await expect(tile(page, /: (Healthy|Failing)/)).toHaveCount(0)
  await expect(page).toHaveTitle(/^Not live/)
  for (const colour of present) expect(await colours(page)).not.toContain(colour)
  await expect(page.getByText(/^Sightline responded \d+ s ago$/)).toBeVisible()
  // By now the proxy no longer tries often; the age of the picture has grown.
  await expect(page.getByText(/Showing the state from 1 min ago\./)).toBeVisible({
    timeout: 80_000,
  })
  await page.screenshot({ path: test.info().outputPath('silent.png') })

  const backAt = Date.now()
  const second = await startPlainUpstream(key, port)
  for (const one of [...builds, build('core', true)]) second.push(one)
  await expect(tile(page, /^core: Failing, /)).toBeVisible({ timeout: 15_000 })
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^2 failing: /, {
    timeout: Math.max(1, 15_000 - (Date.now() - backAt)),
  })
  test.info().annotations.push({
    type: 'upstream killed',
    description: `said after ${saidAfter} ms, whole again after ${Date.now() - backAt} ms`,
  })
  await second.close()
})

test('a tile that turns red on a hidden wall is announced', async ({ page, sightline }) => {
  await page.addInitScript(() => {
    const spoken: string[] = []
    Object.assign(window, { spoken })
    speechSynthesis.speak = ({ text }) => spoken.push(text)
  })
  const upstream = await startPlainUpstream(key)
  const { url } = await sightline({
    SIGHTLINE_BUILD_DATA_URL: upstream.url,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  await page.goto(`${url}/wall`)
  await upstream.heard()
  for (const project of ['core', 'web']) upstream.push(build(project, false))
  for (const known of [/^core: Healthy, /, /^web: Healthy, /]) {
    await expect(tile(page, known)).toBeVisible()
  }
  await page.goto(
    `${url}/wall/core?tiles=Core~project:core&title=Core&settings=rotate:*,speech:true,turn:3600`,
  )
  const title = (text: string) => page.getByRole('banner').getByText(text, { exact: true })
  await expect(title('Core · wall 1 of 2')).toBeVisible()
  await expect(tile(page, /^Core: Healthy, /)).toBeVisible()
  await page.keyboard.press('s')
  await expect(page.getByRole('dialog')).toBeVisible()
  upstream.push(build('web', true))
  await expect.poll(() => page.evaluate('window.spoken.join()')).toBe('web is failing.')
  await expect(title('Core · wall 1 of 2')).toBeVisible()
  // Whoever closes the panel is shown where it is.
  await page.keyboard.press('Escape')
  await expect(title('All projects · wall 2 of 2, held: something on it is failing')).toBeVisible()
  await expect(tile(page, /^web: Failing, /)).toBeVisible()
  await upstream.close()
})

test('a tile stands for the default branch: green branches do not hide a red main, and red ones are counted apart', async ({
  page,
  sightline,
}) => {
  const upstream = await startPlainUpstream(key)
  const { url } = await sightline({
    SIGHTLINE_BUILD_DATA_URL: upstream.url,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  await page.goto(`${url}/wall`)
  await upstream.heard()
  upstream.push(build('core', true, ['main', 'c1']))
  await expect(tile(page, /^core: Failing, /)).toBeVisible()
  upstream.push(build('core', false, ['feature/x', 'c2']))
  upstream.push(build('core', true, ['feature/y', 'c3']))
  await expect(tile(page, /^core: Failing, /)).toContainText('1 branch failing')
  upstream.push(build('core', false, ['main', 'c4']))
  await expect(tile(page, /^core: Healthy, /)).toContainText('Fixed by commit c4')
  await expect(tile(page, /^core: Healthy, /)).toContainText('1 branch failing')
  upstream.push(build('core', true, ['main', 'c4']))
  await expect(tile(page, /^core: Failing, /)).toBeVisible()
  upstream.push(build('core', false, ['main', 'c4']))
  await expect(tile(page, /^core: Flaky, /)).toContainText('Commit c4 failed and passed')
  upstream.push(build('web', true, ['develop', 'd1']))
  await expect(tile(page, /^web: Failing, /)).toContainText('develop')
  await upstream.close()
})

test('where builds name no project, the wall says that they arrive', async ({
  page,
  sightline,
}) => {
  const upstream = await startPlainUpstream(key)
  const { url } = await sightline({
    SIGHTLINE_BUILD_DATA_URL: upstream.url,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  await page.goto(`${url}/wall`)
  await expect(page.getByText('No builds yet.')).toBeVisible()
  await upstream.heard()
  const nameless = build('', false)
  upstream.push({ ...nameless, events: nameless.events?.slice(0, 2) ?? [] })
  await expect(page.getByText('1 build has arrived, and none names its project.')).toBeVisible()
  await expect(page.getByText('No builds yet.')).toBeHidden()
  await upstream.close()
})
