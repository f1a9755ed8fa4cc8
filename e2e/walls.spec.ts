import type { Page } from '@playwright/test'
import { expectAccessible, resize } from './accessibility.ts'
import { person, signedIn, signInWithTokens } from './people.ts'
import { expect, test } from './sightline.ts'

const tiles = (page: Page) => page.getByRole('list', { name: 'Tiles' }).getByRole('listitem')
const revisions = (page: Page) => page.getByRole('list', { name: 'Revisions' })
const save = (page: Page) => page.getByRole('button', { name: 'Save for everyone' })

async function addTile(page: Page, title: string, query: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a tile' }).click()
  await expect(page.getByLabel('Tile title')).toHaveValue('')
  await page.getByLabel('Tile title').fill(title)
  await page.getByRole('textbox', { name: 'Tile query' }).click()
  await page.keyboard.type(query)
}

test('two people edit a wall: each sees what the other saved, it can be undone, and a screen follows without a reload', async ({
  browser,
  sightline,
}) => {
  const people = [person('ann', 'releaser'), person('bo', 'releaser'), person('vi', 'viewer')]
  const [first, second, viewer] = people
  if (first === undefined || second === undefined || viewer === undefined) return
  const config = test.info().outputPath('config.json')
  const configured = {
    name: 'fixed',
    title: 'Of the file',
    tiles: [{ title: 'A', query: 'tag:a' }],
  }
  const settings = signInWithTokens(config, people, { walls: [configured] })
  const { url } = await sightline({ ...settings, SIGHTLINE_EMBEDDED_RATE: '2' })

  const ann = await signedIn(browser, `${url}/walls`, first)
  const entry = ann.getByRole('navigation', { name: 'Pages' }).getByText('Walls', { exact: true })
  await expect(entry).toHaveAttribute('aria-current', 'page')
  await ann.getByRole('link', { name: 'New wall' }).click()
  await expect(ann.getByRole('heading', { level: 1 })).toHaveText('New wall')
  await expect(entry).toHaveAttribute('aria-current', 'page')
  await test.step('a wrong query is named by its place, and what was typed outlives a reload', async () => {
    await addTile(ann, 'Broken', 'projct:core')
    await ann.getByLabel('Name', { exact: true }).fill('release')
    await save(ann).click()
    await expect(ann.getByRole('alert')).toContainText("1 tile can't be saved yet.")
    await expect(tiles(ann).first()).toContainText('Unknown field projct')
    await ann.reload()
    await expect(ann.getByText('What you typed before is still here.')).toBeVisible()
    await expect(ann.getByRole('textbox', { name: 'Tile query' })).toContainText('projct:core')
    await expectAccessible(ann)
    await ann.getByRole('textbox', { name: 'Tile query' }).click()
    await ann.keyboard.press('ControlOrMeta+a')
    await ann.keyboard.type('buildOutcome:failed')
    await expect(ann.getByRole('article', { name: /^Broken: Failing/ })).toBeVisible()
    await save(ann).click()
    await expect(ann).toHaveURL(`${url}/walls/edit/release`)
    await expect(revisions(ann)).toContainText('Created with 1 tile')
  })

  const bo = await signedIn(browser, `${url}/walls/edit/release`, second)
  const screen = await (await browser.newContext()).newPage()
  await test.step('a screen is let in', async () => {
    await screen.goto(`${url}/wall/release`)
    const code = await screen.getByText(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/).innerText()
    const desk = await bo.context().newPage()
    await desk.goto(`${url}/wall`)
    await desk.getByRole('button', { name: 'Screens' }).click()
    const panel = desk.getByRole('dialog', { name: 'Screens' })
    await panel.getByLabel('Code on the screen').fill(code)
    await panel.getByLabel('Screen name').fill('Lobby')
    await panel.getByRole('button', { name: 'Pair screen' }).click()
    await expect(screen.getByRole('article', { name: /^Broken: Failing/ })).toBeVisible()
    await desk.close()
    await screen.evaluate(() => {
      document.documentElement.dataset.loaded = 'once'
    })
  })

  await test.step('what one saves the other sees, with what it changes, and nothing is overwritten', async () => {
    await bo.getByRole('button', { name: 'Duplicate', exact: true }).click()
    await expect(tiles(bo)).toHaveCount(2)
    await bo.getByLabel('Tile title').fill('Of Bo')
    await addTile(ann, 'Good', 'buildOutcome:succeeded')
    await ann.getByLabel('What changed').fill('To see that it works')
    await save(ann).click()
    await expect(revisions(ann)).toContainText('Added Good')
    const later = bo.getByRole('status').filter({ hasText: 'ann changed this wall' })
    await expect(later).toContainText('Added Good')
    await expect(screen.getByRole('article', { name: /^Good: Healthy/ })).toBeVisible()
    await expect(screen.locator('[data-loaded]')).toHaveCount(1)
    await save(bo).click()
    await expect(bo.getByRole('alert')).toContainText('ann changed the wall release')
    await expect(bo.getByRole('alert')).toContainText('Revision 2: Added Good.')
    await bo.getByRole('button', { name: 'Use revision 2' }).click()
    await expect(tiles(bo)).toHaveText(['Broken', 'Good'])
    await bo.getByRole('button', { name: 'Undo' }).click()
    await expect(tiles(bo)).toHaveText(['Broken', 'Of Bo'])
    await bo.getByRole('button', { name: 'Redo' }).click()
    await expect(tiles(bo)).toHaveText(['Broken', 'Good'])
  })

  await test.step('by keyboard alone tiles are moved, which is announced, and saved', async () => {
    await bo.getByRole('button', { name: 'Move Good' }).focus()
    await bo.keyboard.press('Space')
    await expect(bo.getByText('Picked up Good, place 2 of 2.')).toBeAttached()
    // dnd-kit listens for the next key one timeout later, which a busy browser runs after that key.
    await bo.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    await bo.keyboard.press('ArrowUp')
    await expect(bo.getByText('Good is over place 1 of 2.')).toBeAttached()
    await bo.keyboard.press('Space')
    await expect(tiles(bo)).toHaveText(['Good', 'Broken'])
    await bo.keyboard.press('ControlOrMeta+z')
    await expect(tiles(bo)).toHaveText(['Broken', 'Good'])
    await bo.keyboard.press('ControlOrMeta+Shift+z')
    await expect(tiles(bo)).toHaveText(['Good', 'Broken'])
    await bo.getByLabel('Name', { exact: true }).focus()
    await bo.keyboard.press('Enter')
    await expect(revisions(bo)).toContainText('Order of the tiles changed')
    await expect(revisions(ann)).toContainText('Revision 3')
  })

  await test.step('tiles are dragged', async () => {
    await bo.getByRole('button', { name: 'Move Good' }).hover()
    await bo.mouse.down()
    const to = await bo.getByRole('button', { name: 'Move Broken' }).boundingBox()
    if (to === null) throw new Error('nowhere to drag to')
    await bo.mouse.move(to.x + 8, to.y + 4, { steps: 4 })
    await bo.mouse.move(to.x + 8, to.y + 12, { steps: 4 })
    await expect(bo.getByText('Good is over place 2 of 2.')).toBeAttached()
    await bo.mouse.up()
    await expect(tiles(bo)).toHaveText(['Broken', 'Good'])
  })

  await test.step('an old revision is restored, and a deleted wall, too', async () => {
    const restore = ann.getByRole('button', { name: 'Restore revision 1' })
    // As if somebody else had saved it in the same moment: what is typed here isn't what was to be saved.
    await ann.route(
      '**/restore',
      async (route) => {
        const sent = route.request().postDataJSON() as object
        await route.continue({ postData: JSON.stringify({ ...sent, base: 1 }) })
      },
      { times: 1 },
    )
    await restore.click()
    await expect(ann.getByRole('region', { name: 'Wall' }).getByRole('alert')).toContainText(
      'changed the wall release',
    )
    await expect(ann.getByRole('button', { name: 'Save mine over it' })).toHaveCount(0)
    await restore.click()
    await expect(revisions(ann)).toContainText('Restored revision 1')
    await expect(tiles(ann)).toHaveText(['Broken'])
    await expect(screen.getByRole('article', { name: /^Good/ })).toHaveCount(0)
    await ann.getByRole('button', { name: 'Delete…' }).click()
    await ann.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(screen.getByText('Wall “release” not found.')).toBeVisible()
    await expectAccessible(ann)
    await ann.getByRole('button', { name: 'Restore release' }).click()
    await expect(screen.getByRole('article', { name: /^Broken: Failing/ })).toBeVisible()
    await expect(screen.locator('[data-loaded]')).toHaveCount(1)
  })

  await test.step('a configured wall is read-only and can be duplicated; a viewer is told what it takes', async () => {
    await ann.getByRole('link', { name: 'Duplicate to edit: Of the file' }).click()
    await expect(ann.getByText('From the configuration file.')).toBeVisible()
    await expect(ann.getByLabel('Tile title')).toBeDisabled()
    await ann.getByRole('button', { name: 'Duplicate to edit' }).click()
    await ann.getByRole('button', { name: 'Use a template' }).click()
    await ann.getByRole('menuitem', { name: /^Release night, \d+ tiles/ }).click()
    await expect(tiles(ann).nth(3)).toBeVisible()
    await resize(ann, { width: 390, height: 844 })
    await expectAccessible(ann)
    const vi = await signedIn(browser, `${url}/walls/edit/release`, viewer)
    await expect(save(vi)).toHaveAccessibleDescription(/Requires the role releaser or admin/)
  })
})

test('while walls load, their pages say so', async ({ page, url }) => {
  await page.route('**/history/walls', () => undefined)
  for (const [address, sentence] of [
    ['walls', 'Loading walls…'],
    ['walls/edit/release', 'Loading wall…'],
  ] as const) {
    await page.goto(`${url}/${address}`)
    // Drawn by the application: until then the page itself has the sentence.
    await expect(page.getByTestId('connection-state')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(sentence)
  }
})

test('what was typed for a wall is still there after another page was opened and reloaded', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  const note = page.getByLabel('What changed')
  await page.goto(`${url}/walls/edit`)
  await note.fill('For the third floor')
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Packages', exact: true })
    .click()
  await expect(page.getByRole('form').first()).toBeVisible()
  await expect(note).toBeHidden()
  await page.reload()
  await expect(page.getByRole('form').first()).toBeVisible()
  await page.reload()
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Walls', exact: true })
    .click()
  await page.getByRole('link', { name: 'New wall' }).click()
  await expect(note).toHaveValue('For the third floor')
})

test('after a reload the editor still says what somebody else changed, and deleting repeats no refusal of a save', async ({
  browser,
  sightline,
}) => {
  const people = [person('ann', 'releaser'), person('bo', 'releaser')] as const
  const settings = signInWithTokens(test.info().outputPath('config.json'), people)
  const { url } = await sightline({ ...settings, SIGHTLINE_EMBEDDED_RATE: '1' })
  const kept = (page: Page) => page.getByText('What you typed before is still here.')
  const title = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true })

  const link = `${url}/walls/edit?tiles=Core~&title=${'x'.repeat(120)}`
  const ann = await signedIn(browser, link, people[0])
  await expect(ann.getByText('Tile 1 in the link has no query.')).toBeVisible()
  await ann.getByLabel('Name', { exact: true }).fill('release')
  await save(ann).click()
  await expect(title(ann)).toHaveAccessibleDescription(
    'The title has 120 characters; at most 100 fit.',
  )
  await title(ann).fill('One')
  await save(ann).click()
  await expect(revisions(ann)).toContainText('Created with 0 tiles')

  const bo = await signedIn(browser, `${url}/walls/edit/release`, people[1])
  await bo.getByLabel('What changed').fill('Of Bo')
  await addTile(ann, 'Good', 'buildOutcome:succeeded')
  await save(ann).click()
  await expect(revisions(ann)).toContainText('Added Good')
  const later = bo.getByRole('status').filter({ hasText: 'ann changed this wall' })
  await expect(later).toContainText('Added Good')
  await bo.reload()
  await expect(kept(bo)).toBeVisible()
  await expect(later).toContainText('Added Good')

  await save(bo).click()
  await expect(bo.getByRole('alert')).toContainText('Revision 2: Added Good.')
  await bo.getByRole('button', { name: 'Delete…' }).click()
  const dialog = bo.getByRole('dialog', { name: 'Delete wall release?' })
  await expect(dialog).toContainText('You can restore it')
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await bo.getByRole('button', { name: 'Keep mine' }).click()
  await save(bo).click()
  await expect(revisions(bo)).toContainText('Of Bo')
  await title(bo).fill('Two')
  await expect(bo.getByRole('button', { name: 'Undo' })).toBeEnabled()
  await expect(kept(bo)).toBeHidden()
})

test('who saves a wall without a name is led to its name, which says what is missing', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/walls/edit`)
  await save(page).click()
  const name = page.getByLabel('Name', { exact: true })
  await expect(name).toBeFocused()
  await expect(name).toHaveAccessibleDescription(/Enter a name of up to 64/)
})
