import type { Page } from '@playwright/test'
import { person, signedIn, signInWithTokens } from './people.ts'
import { type PlainBuild, plainBuild, startPlainUpstream } from './plain-upstream.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

const key = 'wall-upstream-key'

/** `origin`: branch and commit, as the common plug-ins name them; without it nothing names them. */
function build(project: string, failed: boolean, origin?: readonly [string, string]): PlainBuild {
  if (origin === undefined) return plainBuild(project, failed)
  const at = Date.now() - 70_000
  return plainBuild(project, failed, [
    ['UserTag', at, { tag: 'CI' }],
    ['UserNamedValue', at, { key: 'Git branch', value: origin[0] }],
    ['UserNamedValue', at, { key: 'Git commit id', value: origin[1] }],
  ])
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
  const first = await startPlainUpstream(key)
  const port = Number(new URL(first.url).port)
  const { url } = await sightline(besideBuildServer(first.url, key))
  await page.goto(`${url}/wall`)
  await expect(page.getByText('No builds in the last hour.')).toBeVisible()
  await first.heard()
  const builds = [build('core', false), build('web', true)]
  for (const one of builds) first.push(one)
  await expect(tile(page, /^core: Healthy, /)).toBeVisible()
  await expect(tile(page, /^web: Failing, /)).toBeVisible()
  await expect(page).toHaveTitle(/^1 failing/)
  const present = [await colourOf(page, 'Healthy'), await colourOf(page, 'Failing')]
  await expect.poll(() => colours(page)).toEqual(expect.arrayContaining(present))

  const killedAt = Date.now()
  await first.close()
  await expect(
    page.getByRole('heading', {
      level: 1,
      name: /^No data from the build server since \d\d:\d\d\.$/,
    }),
  ).toBeVisible()
  const saidAfter = Date.now() - killedAt
  await expect(tile(page, /^core: Was healthy, /)).toBeVisible()
  await expect(tile(page, /^web: Was failing, /)).toBeVisible()
  await expect(tile(page, /: (Healthy|Failing)/)).toHaveCount(0)
  await expect(page).toHaveTitle(/^Not live/)
  for (const colour of present) await expect.poll(() => colours(page)).not.toContain(colour)
  await expect(page.getByText(/^Sightline responded \d+ s ago$/)).toBeVisible()
  // By now the proxy no longer tries often; the age of the picture has grown.
  await expect(page.getByText(/Showing the state from 1 min ago\./)).toBeVisible({
    timeout: 80_000,
  })
  await page.screenshot({ path: test.info().outputPath('silent.png') })

  const backAt = Date.now()
  const second = await startPlainUpstream(key, port)
  for (const one of [...builds, build('core', true)]) second.push(one)
  await expect(tile(page, /^core: Failing, /)).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^2 failing: /)
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
  const { url } = await sightline(besideBuildServer(upstream.url, key))
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
  const { url } = await sightline(besideBuildServer(upstream.url, key))
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

/** The mean color of each tile in a picture of the page that is a quarter as wide and high, as relative luminance. */
async function luminanceAtAQuarter(page: Page): Promise<ReadonlyMap<string, number>> {
  const png = [...(await page.screenshot())]
  const means = await page.evaluate(async (bytes) => {
    const [width, height] = [Math.round(innerWidth / 4), Math.round(innerHeight / 4)]
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]), {
      resizeWidth: width,
      resizeHeight: height,
      resizeQuality: 'high',
    })
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context?.drawImage(bitmap, 0, 0)
    const linear = (part: number): number =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    return [...document.querySelectorAll('article')].map((tile): [string, number] => {
      const box = tile.getBoundingClientRect()
      const [x, y] = [Math.ceil(box.x / 4), Math.ceil(box.y / 4)]
      const [w, h] = [Math.floor(box.width / 4) - 1, Math.floor(box.height / 4) - 1]
      const data = context?.getImageData(x, y, w, h).data ?? new Uint8ClampedArray()
      const weights = [0.2126, 0.7152, 0.0722, 0]
      const sum = data.reduce(
        (all, part, index) => all + linear(part / 255) * (weights[index % 4] ?? 0),
        0,
      )
      return [tile.getAttribute('data-look') ?? '', sum / (data.length / 4)]
    })
  }, png)
  return new Map(means)
}

test('a tile says what is new and how often it failed, leads to the first failure beside the last success, and is red in a picture of a quarter', async ({
  page,
  sightline,
}) => {
  const upstream = await startPlainUpstream(key)
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  await page.goto(`${url}/wall`)
  await upstream.heard()
  const good = build('core', false, ['main', 'c1'])
  const bad = build('core', true, ['main', 'c2'])
  upstream.push(build('web', false, ['main', 'w1']))
  upstream.push(good)
  await expect(tile(page, /^core: Healthy, /)).toBeVisible()
  upstream.push(bad)
  const red = tile(page, /^core: Failing, /)
  await expect(red).toContainText('New failure')
  await expect(red).toContainText(/alice\s· c2\s· main/)
  await expect(tile(page, /^web: Healthy, /)).toBeVisible()
  for (const scheme of ['dark', 'light']) {
    await page.evaluate((wanted) => {
      document.documentElement.setAttribute('data-mantine-color-scheme', wanted)
    }, scheme)
    const contrast = async () => {
      const at = await luminanceAtAQuarter(page)
      const [one = 0, other = 0] = [at.get('newly-failing'), at.get('healthy')]
      const [light, dark] = [Math.max(one, other), Math.min(one, other)]
      return (light + 0.05) / (dark + 0.05)
    }
    await expect.poll(contrast, { message: scheme }).toBeGreaterThan(2.5)
  }

  upstream.push(build('core', true, ['main', 'c3']))
  await expect(red).toContainText('Failing for the 2nd time')
  upstream.push(build('core', true, ['feature/x', 'c4']))
  await expect(red.getByRole('link', { name: '1 branch failing' })).toHaveAttribute(
    'href',
    /feature%2Fx/,
  )
  await red.getByRole('link', { name: 'core', exact: true }).focus()
  await red.locator(`a[href="/builds/${bad.buildId}?compare=${good.buildId}"]`).click()
  await expect(page).toHaveURL(`${url}/builds/${bad.buildId}?compare=${good.buildId}`)
  await expect(page.getByRole('main')).toContainText(good.buildId)
  await upstream.close()
})

test('where builds name no project, the wall says that they arrive', async ({
  page,
  sightline,
}) => {
  const upstream = await startPlainUpstream(key)
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  await page.goto(`${url}/wall`)
  await expect(page.getByText('No builds in the last hour.')).toBeVisible()
  await upstream.heard()
  const nameless = build('', false)
  upstream.push({ ...nameless, events: nameless.events?.slice(0, 2) ?? [] })
  await expect(page.getByText('1 build has arrived, and none names its project.')).toBeVisible()
  await expect(page.getByText('No builds in the last hour.')).toBeHidden()
  await upstream.close()
})

test('a build whose link is opened before signing in is read once somebody has', async ({
  browser,
  sightline,
}, testInfo) => {
  const ann = person('ann', 'releaser')
  const upstream = await startPlainUpstream(key)
  const { url } = await sightline({
    ...signInWithTokens(testInfo.outputPath('sightline.json'), [ann]),
    ...besideBuildServer(upstream.url, key),
  })
  const failed = build('web', true)
  upstream.push(failed)
  const page = await signedIn(browser, `${url}/builds/${failed.buildId}?tile=project:web`, ann)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Failed after')
  await expect(page.getByText('Nobody is on this failure yet.')).toBeVisible()
  await expect(page.getByText('Sign in with an access token.')).toHaveCount(0)
  await upstream.close()
})

test('who claims a tile or lets it sleep that somebody else has just claimed or let sleep reads who was faster, and replaces nobody', async ({
  browser,
  sightline,
}, testInfo) => {
  const people = [person('ann', 'releaser'), person('ben', 'releaser')] as const
  const upstream = await startPlainUpstream(key)
  const { url } = await sightline({
    ...signInWithTokens(testInfo.outputPath('sightline.json'), people),
    ...besideBuildServer(upstream.url, key),
  })
  const failed = build('web', true)
  upstream.push(failed)
  const address = `${url}/builds/${failed.buildId}?tile=project:web`
  const [ann, ben] = [
    await signedIn(browser, address, people[0]),
    await signedIn(browser, address, people[1]),
  ]
  // What ann says doesn't reach ben before he has said the same.
  await ben.route('**/history/claims', async (route) => {
    if (route.request().method() === 'POST') await route.continue()
    else await route.fulfill({ json: { claims: [] } })
  })
  await ben.reload()
  const of = (page: Page) => page.getByRole('region', { name: 'Tile of the wall' })
  await expect(of(ben).getByText('Nobody is on this failure yet.')).toBeVisible()
  await of(ann).getByRole('button', { name: "I'm on it" }).click()
  await expect(of(ann).getByText(/^ann has been on it since/)).toBeVisible()
  await of(ben).getByRole('button', { name: "I'm on it" }).click()
  await expect(of(ben).getByRole('alert')).toHaveText(
    'ann has claimed this tile since. Look again.',
  )
  const letSleep = async (page: Page, reason: string): Promise<void> => {
    await of(page).getByRole('button', { name: 'Sleep until…' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill(reason)
    await page.getByRole('dialog').getByRole('button', { name: 'Sleep', exact: true }).click()
  }
  await letSleep(ann, 'fixed tonight')
  await expect(of(ann).getByText(/^Sleeps until .*: fixed tonight$/)).toBeVisible()
  await letSleep(ben, 'known')
  await expect(
    ben.getByText('ann has let this tile sleep since. Look again.').first(),
  ).toBeVisible()
  await ben.unroute('**/history/claims')
  await ben.keyboard.press('Escape')
  await expect(of(ben).getByText(/^Sleeps until .*: fixed tonight$/)).toBeVisible()
  await ben.route('**/history/claims/end', (route) => route.abort())
  await of(ben).getByRole('button', { name: 'Unclaim' }).click()
  await expect(of(ben).getByRole('alert')).not.toContainText('ann has claimed')
  await of(ben).getByRole('button', { name: 'Take over' }).click()
  for (const page of [ann, ben])
    await expect(of(page).getByText(/^ben has been on it since/)).toBeVisible()
  // What failed before is no longer said once something else was done.
  await expect(of(ben).getByRole('alert')).toHaveCount(0)
  await upstream.close()
})

test('who is on a failing tile stands on the walls of all at once; one that sleeps is counted apart, and green ends both', async ({
  browser,
  sightline,
}, testInfo) => {
  test.slow()
  const people = [person('ann', 'releaser'), person('vic', 'viewer')] as const
  const upstream = await startPlainUpstream(key)
  const { url } = await sightline({
    ...signInWithTokens(testInfo.outputPath('sightline.json'), people),
    ...besideBuildServer(upstream.url, key),
  })
  const [ann, vic] = [
    await signedIn(browser, url, people[0]),
    await signedIn(browser, url, people[1]),
  ]
  await Promise.all([ann.goto(`${url}/wall`), vic.goto(`${url}/wall`), upstream.heard()])
  const builds = [build('core', false), build('web', false), build('web', true)]
  for (const one of builds) upstream.push(one)
  const headline = (page: Page) => page.getByRole('heading', { level: 1 })
  for (const page of [ann, vic]) await expect(headline(page)).toContainText('1 failing: web')

  // At the tile, by keyboard as by pointer; who may not claim has no button there.
  await expect(vic.getByRole('button', { name: 'Claim web…' })).toHaveCount(0)
  const atTile = ann.getByRole('button', { name: 'Claim web…' })
  await tile(ann, /^web: Failing/).hover()
  await expect(atTile).toHaveCSS('opacity', '1')
  await atTile.press('Enter')
  const panel = ann.getByRole('dialog', { name: 'Failing tiles' })
  await panel.getByRole('button', { name: "I'm on it" }).click()
  await expect(panel.getByText(/^ann has been on it since \d\d:\d\d$/)).toBeVisible()
  // Sooner than anybody looks by themselves.
  const claimed = tile(vic, /^web: Failing, ann has been on it since/)
  await expect(claimed.getByText(/^ann has been on it since \d\d:\d\d$/)).toBeVisible()

  await panel.getByRole('button', { name: 'Sleep until…' }).click()
  const dialog = ann.getByRole('dialog', { name: 'Let web sleep' })
  await dialog.getByRole('button', { name: 'Sleep', exact: true }).click()
  await expect(dialog.getByText('Enter why this failure can wait.')).toBeVisible()
  await dialog.getByLabel('Reason').fill('known flaky network')
  await dialog.getByRole('button', { name: 'Sleep', exact: true }).click()
  await expect(headline(vic)).toHaveText('1 asleep; 1 healthy')
  await expect(tile(vic, /^web: Failing/)).toHaveAttribute('data-look', 'asleep')
  await expect(tile(vic, /Sleeps until .*: known flaky network/)).toBeVisible()
  await vic.screenshot({ path: testInfo.outputPath('asleep.png') })

  await vic.keyboard.press('p')
  await expect(vic.getByRole('button', { name: 'Take over' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await vic.keyboard.press('Escape')
  upstream.push(build('web', false))
  await expect(headline(vic)).toHaveText('All 2 recently built projects healthy')
  await expect(vic.getByText(/is on it|Sleeps until/)).toHaveCount(0)
  const again = build('web', true)
  upstream.push(again)
  await expect(headline(vic)).toContainText('1 failing: web')
  await expect(vic.getByText(/is on it|Sleeps until/)).toHaveCount(0)

  // As a phone does that has read the tile's code.
  const phone = await signedIn(browser, url, people[0], {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await phone.goto(`${url}/builds/${again.buildId}?tile=project:web`)
  const onPage = phone.getByRole('region', { name: 'Tile of the wall' })
  await expect(onPage.getByText('Nobody is on this failure yet.')).toBeVisible()
  await onPage.getByRole('button', { name: "I'm on it" }).tap()
  await expect(onPage.getByText(/^ann has been on it since \d\d:\d\d$/)).toBeVisible()
  await expect(tile(vic, /^web: .*ann has been on it since/)).toBeVisible()
  await onPage.getByRole('button', { name: 'Sleep until…' }).tap()
  const sleep = phone.getByRole('dialog', { name: 'Let project:web sleep' })
  await sleep.getByLabel('Reason').fill('fixed on Monday')
  await phone.screenshot({ path: testInfo.outputPath('sleep-on-phone.png') })
  await sleep.getByRole('button', { name: 'Sleep', exact: true }).tap()
  await expect(onPage.getByText(/^Sleeps until .*: fixed on Monday$/)).toBeVisible()
  await expect(headline(vic)).toHaveText('1 asleep; 1 healthy')
  await expect(tile(vic, /Sleeps until .*: fixed on Monday/)).toBeVisible()
  await phone.screenshot({ path: testInfo.outputPath('build-on-phone.png') })
  const reader = await signedIn(
    browser,
    `${url}/builds/${again.buildId}?tile=project:web`,
    people[0],
  )
  const ofTile = reader.getByRole('region', { name: 'Tile of the wall' })
  await expect(ofTile.getByText(/^Sleeps until/)).toBeVisible()

  // And at the wall itself, by touch.
  await phone.goto(`${url}/wall`)
  await phone.getByRole('button', { name: 'Failing', exact: true }).tap()
  await phone.getByRole('dialog').getByRole('button', { name: 'Wake' }).tap()
  await expect(headline(vic)).toContainText('1 failing: web')
  await phone.getByRole('dialog').getByRole('button', { name: 'Unclaim' }).tap()
  await expect(vic.getByText(/is on it/)).toHaveCount(0)
  await phone.getByRole('dialog').getByRole('button', { name: 'Sleep until…' }).tap()
  await phone.getByLabel('Reason').fill('by touch')
  await phone.getByRole('button', { name: 'Sleep', exact: true }).tap()
  await expect(tile(vic, /Sleeps until .*: by touch/)).toBeVisible()
  const green = build('web', false)
  upstream.push(green)
  await expect(headline(vic)).toHaveText('All 2 recently built projects healthy')
  // A page of the failed build that was open all the time says so, too.
  await expect(ofTile).toContainText(`${green.buildId} succeeded.`)
  await expect(
    phone.getByRole('dialog').getByText('No tile of this wall is failing.'),
  ).toBeVisible()
  await upstream.close()
})
