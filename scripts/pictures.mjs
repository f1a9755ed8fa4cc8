/**
 * Makes the pictures of README.md and docs/ from the running product, light and dark, always the same: a fixed seed, clock
 * and size. Needs a build (`npm run build`); writes docs/pictures/, each picture with a palette of 256 colors.
 */
/* global document, MutationObserver -- in pages */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import UPNG from 'upng-js'
import { findChromium } from './chromium.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'docs/pictures')
const size = { width: 1280, height: 720 }
/** A Friday afternoon of the demo company, when all its offices are at work. */
const start = Date.parse('2026-11-20T15:20:00Z')
const most = 200_000

const failed = 'project:checkout buildOutcome:failed'
const ofWeek = encodeURIComponent('buildStartTime>-7d')
/** Name, address, and what to press or wait for before the picture is taken. */
const pictures = [
  ['feed', '/'],
  ['builds', `/builds?q=${encodeURIComponent(`${failed} buildStartTime>-7d`)}`],
  ['groups', `/builds?q=${encodeURIComponent('buildOutcome:failed')}&view=groups&by=failure`],
  ['trends', `/builds?q=${ofWeek}&view=trends&by=project`],
  ['build', failedBuild],
  ['tests', '/tests'],
  ['packages', '/packages'],
  ['scan', brokenScan],
  ['board', '/board/release'],
  ['attestation', attestation],
  ['publish', '/publish'],
  ['wall', '/wall/main'],
  ['activity', '/activity'],
  ['status', '/status'],
]

/** Sets a program's clock to `start`, from where it goes on, and makes its chance the same each time. */
function fixTime(start) {
  const RealDate = Date
  const late = start - RealDate.now()
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(RealDate.now() + late)
      else super(...parts)
    }
    static now() {
      return RealDate.now() + late
    }
  }
  let state = 7
  Math.random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
/** The server's own header of dates is not made from its clock, and pages correct theirs by it. */
const noDates = `import http from 'node:http'
const { emit } = http.Server.prototype
http.Server.prototype.emit = function (name, request, response) {
  if (name === 'request') response.sendDate = false
  return emit.apply(this, arguments)
}
`
/** Tips come when they are loaded, in some pictures and not in others. */
function hideTips() {
  new MutationObserver(() => {
    const tip = document.querySelector('aside[aria-label="Tip"]')
    if (tip !== null) tip.style.display = 'none'
  }).observe(document, { subtree: true, childList: true })
}
const fixed = `;(${String(fixTime)})(${start})`

const temporary = mkdtempSync(join(tmpdir(), 'sightline-pictures-'))
const server = spawn(
  process.execPath,
  [
    '--import',
    `data:text/javascript,${encodeURIComponent(noDates + fixed)}`,
    'dist/server/main.js',
  ],
  {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      SIGHTLINE_PORT: process.env.SIGHTLINE_PORT ?? '0',
      SIGHTLINE_DATABASE_URL: `file:${join(temporary, 'sightline.db')}`,
      SIGHTLINE_EMBEDDED_SEED: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
const url = await new Promise((resolve, reject) => {
  createInterface({ input: server.stdout }).on('line', (line) => {
    const printed = /http:\/\/[^\s/]+/.exec(line)?.[0]
    if (printed !== undefined) resolve(printed)
  })
  server.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)))
})
const browser = await chromium.launch({
  executablePath: await findChromium(),
  args: ['--no-sandbox'],
})
mkdirSync(folder, { recursive: true })
const only = process.argv.slice(2)
let isTooLarge = false
try {
  for (const [name, address] of pictures) {
    if (only.length > 0 && !only.includes(name)) continue
    for (const scheme of ['light', 'dark']) {
      const bytes = await picture(address, scheme)
      writeFileSync(join(folder, `${name}-${scheme}.png`), bytes)
      console.log(`${name}-${scheme}.png ${Math.round(bytes.length / 1000)} kB`)
      if (bytes.length >= most) isTooLarge = true
    }
  }
} finally {
  await browser.close()
  server.kill()
  rmSync(temporary, { recursive: true, force: true })
}
if (isTooLarge) {
  console.error(`A picture is larger than ${most / 1000} kB.`)
  process.exitCode = 1
}

async function picture(address, colorScheme) {
  const context = await browser.newContext({
    viewport: size,
    colorScheme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-US',
  })
  await context.addInitScript(fixed)
  await context.addInitScript(hideTips)
  const page = await context.newPage()
  await page.goto(url + (typeof address === 'string' ? address : await address(page)))
  // The page is there once nothing has been requested for a while; the live stream never ends.
  await page.waitForTimeout(Number(process.env.PICTURE_WAIT_MS ?? 5000))
  const shot = await page.screenshot()
  await context.close()
  const image = UPNG.decode(shot)
  return Buffer.from(UPNG.encode(UPNG.toRGBA8(image), image.width, image.height, 256))
}

/** The newest failed build of the main branch that the demo is about. */
async function failedBuild(page) {
  const query = `${failed} value:"Git branch=main" requested:check`
  await page.goto(`${url}/builds?q=${encodeURIComponent(query)}`)
  const row = page.locator('[data-build-id]').first()
  await row.waitFor({ timeout: 60_000 })
  return `/builds/${await row.getAttribute('data-build-id')}`
}

async function brokenScan(page) {
  return scanOf(page, 'pkg:maven/com.acme.payments/payments')
}

async function scanOf(page, purl) {
  await page.goto(`${url}/packages`)
  const link = page.locator('main a', { hasText: purl }).first()
  await link.waitFor({ timeout: 60_000 })
  const address = new URL(await link.getAttribute('href'), url)
  const path = address.pathname.replace(/\/policy-scans\/.*$/, '')
  return `${path}/policy-scans/release${address.search}`
}

/** A stored attestation, as the evidence of the failing policy names it. */
async function attestation(page) {
  await page.goto(url + (await brokenScan(page)))
  const link = page.locator('a[href*="/attestations/"]').first()
  await link.waitFor({ timeout: 60_000 })
  return link.getAttribute('href')
}
