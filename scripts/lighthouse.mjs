/**
 * Lighthouse on the built product's main pages, on a desk and on a phone: prints the scores beside the
 * goals, and fails below what holds on any machine (CONTRIBUTING.md says which and why). Lighthouse is
 * installed into a temporary folder. Needs a build; takes ten minutes: `node scripts/lighthouse.mjs [page…]`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { findChromium } from './chromium.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const version = '12.8.2'
const categories = ['performance', 'accessibility', 'best-practices']
/** The score of each category that is wanted. */
const forms = { desktop: 100, mobile: 95 }
/** A page that is below its goal is measured once more: the better score of each category counts. */
const attempts = 2
/**
 * What fails: these hold however busy the machine is. Speed is simulated from what this machine took,
 * so that its score is printed, and `first-load.mjs` holds the bytes.
 */
const limits = { accessibility: 100, 'best-practices': 100, layoutShift: 0.1 }

const executablePath = await findChromium()
const folder = mkdtempSync(join(tmpdir(), 'sightline-lighthouse-'))
let server
try {
  const install = spawnSync('npm', ['install', '--no-save', `lighthouse@${version}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (install.status !== 0) throw new Error(`Lighthouse ${version} could not be installed.`)
  const url = await startProduct()
  const only = process.argv.slice(2)
  console.log(row(['page', 'form', ...categories, 'goal', 'first paint', 'largest', 'shift']))
  for (const [name, path] of Object.entries(await addresses(url))) {
    if (only.length > 0 && !only.includes(name)) continue
    for (const [form, goal] of Object.entries(forms)) await judge(name, form, goal, url + path)
  }
} finally {
  server?.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** Measures a page, prints its row, and what is wanting where it misses its goal. */
async function judge(name, form, goal, address) {
  const reports = []
  do reports.push(await visit(address, form))
  while (reports.length < attempts && scoresOf(reports).some((score) => score < goal))
  const scores = scoresOf(reports)
  const best = reports.reduce((one, other) => (speedOf(other) > speedOf(one) ? other : one))
  const shift = Math.min(...reports.map((report) => valueOf(report, 'cumulative-layout-shift')))
  const seconds = (audit) => `${(valueOf(best, audit) / 1000).toFixed(1)} s`
  const paints = [seconds('first-contentful-paint'), seconds('largest-contentful-paint')]
  console.log(row([name, form, ...scores, goal, ...paints, shift.toFixed(3)]))
  if (scores.some((score) => score < goal)) {
    for (const line of faults(best)) console.log(`    ${line}`)
  }
  const { layoutShift, ...least } = limits
  const isBelow = categories.some((key, index) => scores[index] < (least[key] ?? 0))
  if (isBelow || shift > layoutShift) {
    process.exitCode = 1
    console.log('    FAILED: this holds on any machine.')
  }
}

/** The best score of each category. */
function scoresOf(reports) {
  return categories.map((key) =>
    Math.max(...reports.map((report) => Math.round(report.categories[key].score * 100))),
  )
}

function speedOf(report) {
  return report.categories.performance.score
}

function valueOf(report, audit) {
  return report.audits[audit].numericValue
}

function row(cells) {
  const widths = [8, 9, 13, 15, 16, 6, 13, 9, 7]
  return cells.map((cell, index) => String(cell).padEnd(widths[index])).join('')
}

/** Starts the product with its demo data; resolves with its address. */
async function startProduct() {
  server = spawn(process.execPath, ['dist/server/main.js'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      SIGHTLINE_PORT: '0',
      SIGHTLINE_DATABASE_URL: `file:${join(folder, 'sightline.db')}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const printed = /http:\/\/[^\s/]+/.exec(line)?.[0]
      if (printed !== undefined) resolve(printed)
    })
    server.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)))
  })
}

/** The pages by name. Those of a board and of a policy scan are found by their links. */
async function addresses(url) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const page = await browser.newPage()
  const link = async (from, part) => {
    await page.goto(url + from)
    const found = page.locator(`main a[href*="${part}"]`).first()
    return found.getAttribute('href', { timeout: 60_000 })
  }
  const board = await link('/board', '/board/')
  const scan = await link('/packages', '/policy-scans/')
  await browser.close()
  return {
    feed: '/',
    search: `/builds?q=${encodeURIComponent('buildOutcome:failed')}`,
    board,
    scan,
    decode: '/decode',
    wall: '/wall',
  }
}

/** Lighthouse's report of a page, from a process of its own; now and then its browser records no trace. */
async function visit(address, form, left = 2) {
  const file = join(folder, 'report.json')
  const child = spawn(
    process.execPath,
    [
      join(folder, 'node_modules/lighthouse/cli/index.js'),
      address,
      `--only-categories=${categories.join(',')}`,
      ...(form === 'desktop' ? ['--preset=desktop'] : []),
      '--output=json',
      `--output-path=${file}`,
      '--quiet',
      '--chrome-flags=--headless --no-sandbox --disable-gpu',
    ],
    { stdio: 'inherit', env: { ...process.env, CHROME_PATH: executablePath } },
  )
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0 && left > 0) return visit(address, form, left - 1)
  if (code !== 0) throw new Error(`Lighthouse ended with ${code} on ${address}.`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** What a report finds wanting, a line each, and the times that performance is made of. */
function faults({ audits, categories: found }) {
  const wanting = Object.values(found).flatMap(({ auditRefs }) =>
    auditRefs
      .filter(({ id, weight }) => weight > 0 && (audits[id].score ?? 1) < 1)
      .map(({ id }) => `${audits[id].title}: ${audits[id].displayValue ?? audits[id].score}`),
  )
  return [...new Set(wanting)]
}
