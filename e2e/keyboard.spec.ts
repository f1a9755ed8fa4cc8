import { writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expectFocused, expectFocusSeen, tabTo } from './focus.ts'
import { startLongNames } from './long-names.ts'
import { person, signInWithTokens } from './people.ts'
import { headline } from './scan-page.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

/**
 * The main jobs by keyboard alone. Where Tab leads the focus is seen at every stop, and what closes
 * or goes away gives the focus to something that is still there.
 */

/** Goes on with Tab to what has that role and name, and presses Enter on it. */
function keysOf(page: Page) {
  type Role = Parameters<Page['getByRole']>[0]
  const part = (role: Role, name: string | RegExp) =>
    page.getByRole(role, typeof name === 'string' ? { name, exact: true } : { name }).first()
  return {
    part,
    to: (role: Role, name: string | RegExp, key?: string) => tabTo(page, part(role, name), key),
    open: async (role: Role, name: string | RegExp, key?: string) => {
      await tabTo(page, part(role, name), key)
      await page.keyboard.press('Enter')
    },
    press: async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    },
    /** Presses g and the key of a page, as fast as one who knows them: a slow page makes no pause. */
    go: async (key: string) => {
      await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)])
    },
  }
}

test('builds are watched, searched, grouped, opened and compared by keyboard alone', async ({
  page,
  url,
}) => {
  const { part, to, open, press, go } = keysOf(page)
  const rows = page.locator('[data-build-id]')
  await page.goto(url)
  await expect(rows.first()).toBeVisible()

  await test.step('the feed is paused, filtered and shown again', async () => {
    await press('Tab')
    await expectFocused(page, part('link', 'Skip to content'))
    await press('Enter')
    await open('button', /^Pause/)
    await expect(page.getByText('Paused', { exact: true })).toBeVisible()
    await expectFocused(page, part('button', /^Resume/))
    await press('Enter')
    await open('button', 'Outcome', 'Shift+Tab')
    await expect(page.getByRole('option', { name: /^failed/ })).toBeVisible()
    await press('ArrowDown', 'Enter')
    await expect(page).toHaveURL(/outcome=failed|outcome=succeeded/)
    await press('Escape')
    await expectFocusSeen(page)
    await open('button', 'Clear filters')
    await expect(page).toHaveURL(`${url}/`)
    await expectFocusSeen(page)
  })

  await test.step('a build is read in place, then opened', async () => {
    await press('p', 'j', 'j')
    const chosen = page.locator('[data-build-id] a:focus')
    await expect(chosen).toBeVisible()
    await expectFocusSeen(page)
    await press('Space')
    await expect(page.getByRole('complementary', { name: /^Build / })).toBeVisible()
    await expectFocusSeen(page)
    await press('Escape')
    await expect(page.getByRole('complementary', { name: /^Build / })).toBeHidden()
    await expectFocused(page, chosen)
  })

  await test.step('the palette and the list of keys give the focus back', async () => {
    await press('ControlOrMeta+k')
    await expectFocused(page, part('combobox', 'Find'))
    await press('Escape')
    await expectFocused(page, page.locator('[data-build-id] a:focus'))
    await press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await expectFocusSeen(page)
    await press('Escape')
    await expectFocused(page, page.locator('[data-build-id] a:focus'))
  })

  const editor = part('textbox', 'Search builds')
  await test.step('a query is completed and run', async () => {
    await go('b')
    // The field that stands in for the editor at first suggests nothing.
    await expect(editor).toHaveAttribute('contenteditable', 'true')
    await to('textbox', 'Search builds')
    await page.keyboard.type('buildOutc')
    await expect(page.getByRole('option').first()).toHaveAccessibleName(/^buildOutcome/)
    await press('ArrowDown')
    await expect(page.getByRole('option', { selected: true })).toHaveAccessibleName(/^buildOutcome/)
    await press('Enter')
    await expect(editor).toHaveText('buildOutcome:')
    await page.keyboard.type('failed')
    await expect(editor).toHaveText('buildOutcome:failed')
    await press('Escape', 'ControlOrMeta+Enter')
    await expect(page).toHaveURL(/q=buildOutcome%3Afailed/)
    await expectFocused(page, editor)
    await expect(page.locator('[data-build-id][data-outcome="failed"]').first()).toBeVisible()
  })

  await test.step('the list is sorted, its columns are chosen, a build is opened', async () => {
    await open('button', 'Columns')
    await expectFocusSeen(page)
    await tabTo(page, page.getByRole('checkbox', { name: 'Host', exact: true }))
    await press('Space')
    await expectFocusSeen(page)
    await press('Escape')
    await expectFocused(page, part('button', 'Columns'))
    await expect(page.getByRole('columnheader', { name: /^Host/ })).toBeVisible()
    await open('button', 'Duration')
    await expect(page.getByRole('columnheader', { name: 'Duration' })).toHaveAttribute(
      'aria-sort',
      /ascending|descending/,
    )
    await expectFocusSeen(page)
    await to('link', /^Build [a-z0-9]{13}$/)
    await press('j')
    await expect(rows.nth(1).locator('a:focus')).toBeVisible()
    await press('Enter')
    await expect(page.getByRole('navigation', { name: 'Build tabs' })).toBeVisible()
    await expectFocusSeen(page)
  })

  await test.step('its tabs, and what differs from the last success', async () => {
    const tabs = page.getByRole('navigation', { name: 'Build tabs' })
    for (const name of [/^Events/, /^Environment|^Details/]) {
      await tabTo(page, tabs.getByRole('link', { name }), name.test('Events') ? 'Tab' : 'Shift+Tab')
      await press('Enter')
      await expect(tabs.locator('[aria-current="page"]')).toHaveText(name)
      await expectFocusSeen(page)
    }
    await open('button', 'Compare with last success', 'Shift+Tab')
    await expect(page).toHaveURL(/compare/)
    await expectFocusSeen(page)
  })

  await test.step('builds in groups', async () => {
    await go('b')
    await open('link', 'Groups')
    await expect(page.getByRole('table', { name: /^Builds by / })).toBeVisible()
    await expectFocused(page, part('link', 'Groups'))
    await tabTo(page, page.getByRole('rowheader').first().getByRole('link'))
    await press('Enter')
    await expect(page).toHaveURL(/q=project/)
    await expectFocusSeen(page)
  })

  await test.step('tests, and the builds of one', async () => {
    await go('t')
    // Until then tests of more builds come in, each at its place in the table.
    await expect(part('button', 'Read 100 more')).toBeVisible()
    // Whether any test fails is chance; that there are tests is not.
    await open('link', /^All \(\d/)
    const known = page.getByRole('table').getByRole('link').first()
    await expect(known).toBeVisible()
    await tabTo(page, known)
    await press('Enter')
    const panel = page.getByRole('complementary', { name: /^Test / })
    await expect(panel).toBeVisible()
    await expectFocusSeen(page)
    await tabTo(page, panel.getByRole('button', { name: /^Close/ }))
    await press('Enter')
    await expect(panel).toBeHidden()
    await expectFocusSeen(page)
  })
})

test('a link that had the focus before the application was there keeps it', async ({
  page,
  url,
}) => {
  let letThrough = (): void => undefined
  const code = new Promise<void>((resolve) => (letThrough = resolve))
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await code
    await route.continue()
  })
  await page.goto(`${url}/packages`, { waitUntil: 'commit' })
  const frame = page.locator('#frame')
  await frame.getByRole('link', { name: 'Boards' }).focus()
  letThrough()
  await expect(frame).toHaveCount(0)
  await expectFocused(page, page.getByRole('banner').getByRole('link', { name: 'Boards' }))
})

/** Characters that turn around what follows: an override, an embedding, an isolate, a mark. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066\u2067]/

test('names that are read from right to left, or that turn text around, leave every row as it is', async ({
  page,
  sightline,
}, info) => {
  const key = 'canary-turned-names'
  const turned = (word: string): string => `חנות \u202E${word}-gnp.exe`
  const upstream = await startLongNames(key, turned)
  const config = info.outputPath('sightline.yaml')
  const query = `project:"${turned('project')}"`
  const packages = [{ purl: 'pkg:oci/shop@1.0.0', sha256: 'ab'.repeat(32), repositoryUrl: 'r/s' }]
  writeFileSync(
    config,
    JSON.stringify({
      boards: [{ name: 'rtl', title: turned('title'), scans: ['release'], packages }],
      walls: [{ name: 'rtl', title: turned('wall'), tiles: [{ title: turned('tile'), query }] }],
    }),
  )
  const { url } = await sightline({
    ...besideBuildServer(upstream.url, key),
    SIGHTLINE_GOVERNOR_URL: upstream.url,
    SIGHTLINE_GOVERNOR_BEARER: key,
    SIGHTLINE_CONFIG: config,
  })
  const evaluate = page.getByRole('button', { name: /^Evaluate/ }).first()
  const scan = `/packages/oci/shop/1.0.0/policy-scans/release?sha256=${'ab'.repeat(32)}&repository=r%2Fs`
  const envelope = envelopeOf({ name: turned('subject'), digest: { sha256: 'ab'.repeat(32) } })
  const pages = [
    ['/', page.locator('[data-build-id]').first()],
    [`/builds?q=${encodeURIComponent(query)}`, page.locator('[data-build-id]').first()],
    [`/builds/${upstream.ids[0] ?? ''}`, page.getByRole('navigation', { name: 'Build tabs' })],
    [scan, evaluate],
    ['/board/rtl', evaluate],
    ['/wall/rtl', page.getByRole('article').first()],
    ['/decode', page.getByRole('textbox').first()],
  ] as const
  for (const [address, ready] of pages) {
    await test.step(address.slice(0, 20), async () => {
      await page.goto(url + address)
      await expect(ready).toBeVisible()
      if (ready === evaluate) await evaluate.click()
      if (address === '/decode') await ready.fill(envelope)
      await expect(page.locator('#root')).toContainText('‹U+202E›')
      // All that is read, seen or heard; a link still leads to what is meant.
      await expect.poll(() => page.evaluate(allText)).not.toMatch(turning)
    })
  }
  await upstream.close()
})

/** Runs in the page: its text, titles and names, but not what is typed in fields. */
function allText(): string {
  const fields = document.querySelectorAll('textarea, [contenteditable]')
  const typed = new Set([...fields].flatMap((one) => [one, ...one.querySelectorAll('*')]))
  return [...document.body.querySelectorAll('*:not(script, style)')]
    .filter((one) => !typed.has(one))
    .flatMap((one) => [
      one.getAttribute('title'),
      one.getAttribute('aria-label'),
      ...[...one.childNodes].map((node) => (node instanceof Text ? node.data : '')),
    ])
    .join('\n')
}

test('a release is evaluated, waived, decided and published by keyboard alone, from sign-in to sign-out', async ({
  page,
  sightline,
}, info) => {
  const ada = person('ada', 'releaser')
  const { url } = await sightline(signInWithTokens(info.outputPath('config.json'), [ada]))
  const { part, to, open, press } = keysOf(page)
  const dialog = page.getByRole('dialog')

  await test.step('signing in', async () => {
    await page.goto(`${url}/packages`)
    await to('textbox', 'Access token')
    await page.keyboard.insertText(ada.token)
    await press('Enter')
    await expect(page.getByRole('dialog', { name: 'Sign in' })).toBeHidden()
    await expectFocusSeen(page)
  })

  await test.step('a package, its scan, and a waiver for what fails', async () => {
    await tabTo(page, page.locator('a[href*="recommendations"][href*="/production"]').first())
    await press('Enter')
    await expect(page.getByRole('heading', { name: 'Configured packages' })).toBeHidden()
    await expect(headline(page)).toBeVisible()
    await expectFocusSeen(page)
    await open('button', /^Evaluate/)
    // Until it is evaluated the rows of policies change their places.
    await expect(headline(page)).toHaveText(/^Not releasable/)
    await expect(part('button', 'Evaluate again')).toBeVisible()
    await expectFocusSeen(page)
    await open('button', /^Waive dependency-health/)
    await expect(dialog).toBeVisible()
    await expectFocusSeen(page)
    await press('Escape')
    await expect(dialog).toBeHidden()
    await expectFocused(page, part('button', /^Waive dependency-health/))
    await press('Enter')
    await tabTo(page, dialog.getByLabel('Reason'))
    await page.keyboard.type('Upgraded with the next release')
    await tabTo(page, dialog.getByRole('button', { name: /^Waive/ }))
    await press('Enter')
    await expect(dialog).toBeHidden()
    await expect(page.getByText('Upgraded with the next release').first()).toBeVisible()
    await expectFocusSeen(page)
    await page.goBack()
    await expect(page).toHaveURL(`${url}/packages`)
    await expect(page.getByRole('heading', { name: 'Configured packages' })).toBeVisible()
    await expectFocusSeen(page)
  })

  await test.step('the board: cells, an assignment, the decision', async () => {
    await page.goto(`${url}/board/release`)
    await open('button', /^Evaluate all/)
    await expect(headline(page)).toContainText("of 12 packages can't be released")
    await expectFocusSeen(page)
    // Until all are evaluated, what fails most may change its place.
    await expect(part('button', 'Evaluate all again')).toBeVisible()
    await open('button', /^Assign failures/)
    await expect(dialog).toBeVisible()
    await expectFocusSeen(page)
    await press('Escape')
    await expectFocused(page, part('button', /^Assign failures/))
    const cell = page.locator('tr[data-package] [data-scan] button').first()
    await tabTo(page, cell, 'Tab', 120)
    await press('ArrowRight')
    await expectFocusSeen(page)
    await press('Enter')
    await expect(page.getByRole('region', { name: /^pkg:.*, release$/ })).toBeVisible()
    await expectFocusSeen(page)
    await press('Escape')
    await expectFocusSeen(page)
    await open('button', 'Release…', 'Shift+Tab')
    await expect(dialog).toBeVisible()
    await expectFocusSeen(page)
    await press('Escape')
    await expectFocused(page, part('button', 'Release…'))
  })

  await test.step('a build is published', async () => {
    await press('ControlOrMeta+k')
    await expectFocused(page, part('combobox', 'Find'))
    await page.keyboard.type('publish')
    await expect(dialog.getByRole('option', { selected: true })).toHaveAccessibleName(/^Publish/)
    await press('Enter')
    await expect(page).toHaveURL(`${url}/publish`)
    await expectFocusSeen(page)
    await to('textbox', 'Add builds by id')
    await page.keyboard.type('nonsense ')
    await press('Enter')
    await open('button', 'Remove nonsense')
    await expectFocusSeen(page)
  })

  await test.step('an envelope is decoded', async () => {
    await page.goto(`${url}/decode`)
    await to('textbox', /^Paste an attestation/)
    await page.keyboard.insertText(envelopeOf({ name: 'app', digest: { sha256: 'ab'.repeat(32) } }))
    await open('link', 'Check by hand')
    await expect(page).toHaveURL(/tab=signed/)
    await expectFocusSeen(page)
    await open('link', 'Payload')
    await expect(page).toHaveURL(/tab=payload/)
    await to('tree', 'Payload')
    await press('ArrowDown')
    await expectFocusSeen(page)
  })

  await test.step('a wall: a tile is placed and saved, and the wall is shown', async () => {
    await page.goto(`${url}/walls/edit`)
    await open('button', 'Add a tile')
    await expect(page.getByLabel('Tile title')).toBeVisible()
    await expectFocusSeen(page)
    await tabTo(page, page.getByLabel('Tile title'))
    await page.keyboard.type('Checkout')
    await tabTo(page, page.getByRole('textbox', { name: 'Tile query' }))
    await page.keyboard.type('project:checkout')
    await press('Escape')
    await open('button', 'Duplicate')
    await expectFocusSeen(page)
    await to('button', /^Move /, 'Shift+Tab')
    await press('Space', 'ArrowUp', 'Space')
    await expectFocusSeen(page)
    await open('button', /^Remove/)
    await expectFocusSeen(page)
    await page.goto(`${url}/wall`)
    await expect(page.getByRole('article').first()).toBeVisible()
    await open('button', 'Display')
    await expect(dialog).toBeVisible()
    await expectFocusSeen(page)
    await press('Escape')
    await expectFocused(page, part('button', 'Display'))
  })

  await test.step('what was done is read, and signed out', async () => {
    await page.goto(`${url}/activity`)
    await open('link', /^Actions/)
    await expectFocusSeen(page)
    await expect(page.getByText('Upgraded with the next release').first()).toBeVisible()
    await open('button', 'Signed in as ada', 'Shift+Tab')
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
    await press('Escape')
    await expectFocused(page, part('button', 'Signed in as ada'))
    await press('Enter')
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
    await tabTo(page, part('menuitem', 'Sign out'), 'ArrowUp')
    await press('Enter')
    await expect(page.getByRole('dialog', { name: 'Sign in' })).toBeVisible()
    await expectFocusSeen(page)
  })
})

/** An unsigned envelope that says something about a subject, as a person pastes it. */
function envelopeOf(subject: object): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [subject],
    ...{ predicateType: 'https://example.com/p', predicate: subject },
  }
  return JSON.stringify({
    payloadType: 'application/vnd.in-toto+json',
    payload: Buffer.from(JSON.stringify(statement)).toString('base64'),
    signatures: [],
  })
}

/** The parts of each page that do not move with its data. */
const structures = {
  '/': `
    - heading /builds/ [level=1]
    - group "Filters"
    - table "Builds, newest first"`,
  '/builds?q=buildOutcome:failed': `
    - region "Query":
      - textbox "Search builds"
    - navigation "View"
    - group "Filters"
    - heading /builds?/ [level=1]`,
  '/tests': `
    - region "Query":
      - textbox "Builds whose tests are shown"
    - heading /tests?/ [level=1]
    - navigation "Lists of tests"`,
  '/packages': `
    - heading /package/ [level=1]
    - region "Configured packages":
      - heading "Configured packages" [level=2]
    - form "Package and scan"`,
  '/board': `
    - heading /release/ [level=1]
    - region "Configured boards":
      - heading "Configured boards" [level=2]
    - form "Paste a board"`,
  '/board/release': `
    - heading /packages/ [level=1]
    - search
    - table "Packages by scans"`,
  '/waivers': `
    - heading /[Ww]aiver/ [level=1]
    - navigation "Waivers"
    - search "Waivers"`,
  '/publish': `
    - heading /Publish/ [level=1]
    - form "Publish"`,
  '/decode': `
    - heading /Decode/ [level=1]
    - region "Input"`,
  '/activity': `
    - heading /evaluations/ [level=1]
    - navigation "Activity"
    - search "Activity"`,
  '/status': `
    - heading /working|fail|not/ [level=1]
    - region "Build server"
    - region "Policy service"
    - region "Database"`,
  '/walls': `
    - heading /walls?/ [level=1]
    - table "Walls"`,
}

test('landmarks, headings and navigation have their roles and names on each page', async ({
  page,
  url,
}) => {
  for (const [address, structure] of Object.entries(structures)) {
    await test.step(address, async () => {
      await page.goto(url + address)
      await expect(page.getByRole('banner')).toMatchAriaSnapshot(`
        - banner:
          - navigation "Pages"
          - button "Find pages, builds and commands"
          - button /Signed in as/`)
      await expect(page.getByRole('main')).toMatchAriaSnapshot(`
        - main:${structure.replaceAll('\n    ', '\n          ')}`)
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    })
  }
  await page.goto(`${url}/wall`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  await expect(page.getByRole('navigation', { name: 'Wall' })).toBeVisible()
})
