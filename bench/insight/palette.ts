import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { measurePage, type Step, type Surroundings } from './page-steps.ts'

const packageCount = 10_000

/** The palette over 10,000 configured packages: the longest task of the page at each step. */
export function measurePalette(): Promise<boolean | undefined> {
  return measurePage(
    `The palette over ${packageCount.toLocaleString('en-US')} packages`,
    around,
    act,
  )
}

async function act(page: Page, step: Step): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Find' })
  const options = page.getByRole('listbox', { name: 'Results' }).getByRole('option')
  await page.locator('[data-build-id]').first().waitFor()
  for (const what of ['opened for the first time', 'opened again']) {
    await step(what, async () => {
      await page.keyboard.press('ControlOrMeta+k')
      await options.first().waitFor()
    })
    for (const typed of ['service-77', 'pkg', 'xqz']) {
      await step(`${what}, "${typed}" typed`, async () => {
        await field.fill('')
        await field.pressSequentially(typed, { delay: 30 })
      })
    }
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'hidden' })
  }
}

async function around(): Promise<Surroundings> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-'))
  const file = join(folder, 'config.yaml')
  const packages = Array.from({ length: packageCount }, (_, n) => ({
    purl: `pkg:oci/team-${n % 90}-service-${n}@2.${n % 40}.0`,
    sha256: n.toString(16).padStart(64, '0'),
    repositoryUrl: 'registry.example.com/shop',
    scans: ['release'],
  }))
  await writeFile(file, JSON.stringify({ packages }))
  return {
    settings: { SIGHTLINE_CONFIG: file },
    close: () => void rm(folder, { recursive: true, force: true }),
  }
}
