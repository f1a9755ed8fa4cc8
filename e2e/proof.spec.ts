import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { headline } from './scan-page.ts'
import { expect, test } from './sightline.ts'

/** Proof that is needed weeks after a decision: on paper, and as a file that others can check. */

const sixWeeksMs = 42 * 86_400_000

/** What Node is started with so that it lives so much later, its timers included. */
function livingLater(ms: number): string {
  const shift = `const Real=Date;globalThis.Date=class extends Real{constructor(...a){a.length===0?super(Real.now()+${ms}):super(...a)}static now(){return Real.now()+${ms}}}`
  return `--import=data:text/javascript,${encodeURIComponent(shift)}`
}

test('six weeks later: from the board to the evidence, on paper and checked by others', async ({
  page,
  sightline,
}, info) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const settings = { SIGHTLINE_SIGNING_KEY: pem }
  const decided = await sightline(settings)
  await page.goto(`${decided.url}/board/release`)
  await page.getByRole('button', { name: /^Evaluate all/ }).click()
  await expect(headline(page)).toHaveText(/^6 of 12 packages can't be released: /)
  await expect(page.getByTestId('progress')).toHaveCount(0)
  await decided.stop()

  const { url } = await sightline({ ...settings, NODE_OPTIONS: livingLater(sixWeeksMs) })
  let clicks = 0
  const click = async (name: string): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).click()
    clicks += 1
  }
  await page.goto(`${url}/board/release`)
  await expect(headline(page)).toHaveText(/^6 of 12 packages can't be released: /)
  const file = page.waitForEvent('download')
  await click('Evidence bundle')
  const zip = info.outputPath('evidence.zip')
  await (await file).saveAs(zip)

  const folder = info.outputPath('evidence')
  execFileSync('unzip', ['-q', zip, '-d', folder])
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: folder })
  const readme = readFileSync(`${folder}/README.txt`, 'utf8')
  expect(readme).toContain('Subject:   the release board "Next release"')
  expect(readme).toContain('Verdict:   Not releasable')
  expect(readme).toContain('are older than 24 hours')
  const commands = readme.split('Without Sightline:\n')[1]?.split('\nRUNS\n')[0] ?? ''
  expect(execFileSync('sh', ['-ec', commands], { cwd: folder, encoding: 'utf8' })).toContain(
    'Verified OK',
  )

  await page.emulateMedia({ media: 'print' })
  const paper = page.getByRole('region', { name: 'Board on paper' })
  const printed = () => paper.innerText()
  await expect.poll(printed).toContain("6 of 12 packages can't be released")
  await expect
    .poll(printed)
    .toMatch(/pkg:oci\/checkout@2\.4\.0\nsha256:[0-9a-f]{64}\nregistry\.acme\.example\/shop/)
  await expect
    .poll(printed)
    .toMatch(/\w{3} \d{1,2}, \d{4}, \d\d:\d\d:\d\d [A-Z+]\S*( by .*)?\nrun [0-9a-z]{26}/)
  await expect.poll(printed).not.toMatch(/\bago\b|Show more|being checked|\w…\w/)
  await expect(page.getByRole('button', { name: 'Evidence bundle' })).toBeHidden()
  // Paper is as narrow as a tablet, and has a table all the same.
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  await page.setViewportSize({ width: 688, height: size.height })
  await expect(paper.getByRole('row').last()).toHaveCSS('display', 'table-row')
  await page.setViewportSize(size)
  expect(await page.pdf({ preferCSSPageSize: true })).toBeTruthy()
  await page.emulateMedia({ media: 'screen' })

  await page.goto(`${url}/decode`)
  await page.getByLabel('Files with attestations').setInputFiles(`${folder}/summary.intoto.json`)
  await expect(page.getByText('sightline-signing-key').first()).toBeVisible()
  await expect(page.getByText('FAILED').first()).toBeVisible()
  const description = `from the board to the evidence: ${clicks} click`
  info.annotations.push({ type: 'clicks', description })
  expect(clicks).toBe(1)
})
